/** The assets of a page whose HTML the service writes, as the manifest of the build lists them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Addresses relative to the page. */
export interface BuiltAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
}

const MANIFEST = '.vite/manifest.json';
const NOTHING: BuiltAssets = { scripts: [], styles: [] };

export class BuiltPage {
  readonly #file: string;
  #assets: BuiltAssets | undefined;

  constructor(folder: string) {
    this.#file = join(folder, MANIFEST);
  }

  /** Nothing before the build has ended. The manifest is read once. */
  async assets(): Promise<BuiltAssets> {
    this.#assets ??= await readManifest(this.#file);
    return this.#assets ?? NOTHING;
  }
}

async function readManifest(file: string): Promise<BuiltAssets | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const entries = Object.values(JSON.parse(text) as Record<string, Chunk>).filter(({ isEntry }) => isEntry === true);
  return { scripts: entries.map((entry) => entry.file), styles: entries.flatMap(({ css = [] }) => css) };
}
