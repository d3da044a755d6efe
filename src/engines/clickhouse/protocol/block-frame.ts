/**
 * Frames encoded blocks for a request body (`FORMAT Native`) and for the native protocol: names,
 * types and counts.
 */
import type { Block } from '../types/block.ts';

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function varText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length), bytes]);
}

export function encodeHttpBlock(block: Block): readonly Uint8Array[] {
  return framed(block, []);
}

/** In the native protocol each column also says that it has the default serialization. */
export function encodeNativeBlock(block: Block): readonly Uint8Array[] {
  return framed(block, [Buffer.from([0])]);
}

function framed(block: Block, afterType: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [varint(block.columns.length), varint(block.rows)];
  for (const { name, type, data } of block.columns) {
    pieces.push(varText(name), varText(type), ...afterType);
    for (const { bytes } of data) pieces.push(bytes);
  }
  return pieces;
}
