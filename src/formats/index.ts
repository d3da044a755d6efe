/** The formats by their name in the parameter `format`. */
import { bson } from './bson.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { json } from './json.ts';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

export const FORMATS: ReadonlyMap<string, Format> = new Map([json, xml, yaml, csv, bson].map((format) => [format.name, format]));

export function formatByName(name: string): Format | undefined {
  return FORMATS.get(name);
}
