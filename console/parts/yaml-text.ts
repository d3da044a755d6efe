/** Writes a value as YAML in one layout: maps and lists in block style. Pure. */
import { Digits, type Exact, type ExactObject, isObject } from '../../ui/exact.ts';

/** Texts that no reader takes for another type: words, paths, versions of three numbers. */
const PLAIN = /^(?:[A-Za-z_/][\w ./{}$*@-]*|\d+\.\d+\.\d+)$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|~)$/i;

export function writeYaml(value: Exact): string {
  return `${block(value, '').replace(/^\n/, '')}\n`;
}

function scalar(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !text.endsWith(' ') ? text : JSON.stringify(text);
}

function block(value: Exact, indent: string): string {
  if (value instanceof Digits) return value.text;
  if (typeof value === 'string') return textBlock(value, indent);
  if (value === null || typeof value === 'boolean') return String(value);
  const deeper = `${indent}  `;
  if (isObject(value)) return mapBlock(value, indent, deeper);
  const items = value as readonly Exact[];
  if (items.length === 0) return '[]';
  return items.map((item) => `\n${indent}- ${block(item, deeper).replace(/^\n\s*/, '')}`).join('');
}

function mapBlock(value: ExactObject, indent: string, deeper: string): string {
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return entries
    .map(([name, item]) => {
      const text = block(item, deeper);
      return `\n${indent}${scalar(name)}:${text.startsWith('\n') ? '' : ' '}${text}`;
    })
    .join('');
}

function textBlock(text: string, indent: string): string {
  if (!text.includes('\n')) return scalar(text);
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${text.endsWith('\n') ? '' : '-'}\n${lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n')}`;
}
