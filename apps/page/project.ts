/** The project of the page, which is part of the addresses of endpoints. */
import { read, serviceRoot } from './api.ts';

export interface Place {
  readonly org: string;
  readonly project: string;
}

interface Context {
  readonly org: { readonly abbreviation: string };
  readonly project: { readonly abbreviation: string };
}

let known: Promise<Place> | undefined;

export function placeOfProject(): Promise<Place> {
  known ??= readPlace();
  known.catch(() => {
    known = undefined;
  });
  return known;
}

async function readPlace(): Promise<Place> {
  const { text } = await read(new URL('rest/meta/v1/context', serviceRoot));
  const { org, project } = JSON.parse(text) as Context;
  return { org: org.abbreviation, project: project.abbreviation };
}
