// Rules of the architecture for the front ends: console/, apps/ and ui/, which they share.
import { describe, expect, it } from 'vitest';
import { importsOf, projectFiles } from './support/sources.ts';

const OF_CLIENT = /^src\/client\/(?:exact-json|where)\.ts$/;

describe('imports of the front ends', () => {
  const files = projectFiles().filter((file) => /^(?:console|apps|ui)\/.*\.tsx?$/.test(file));
  const targets = files.flatMap((file) =>
    importsOf(file).flatMap(({ file: target }) => (target === undefined ? [] : [{ file, target, folder: file.split('/')[0] }])),
  );
  const show = ({ file, target }: { file: string; target: string }): string => `${file} imports ${target}`;

  it('are found', () => {
    expect(targets.length).toBeGreaterThan(files.length);
  });

  it('reach the exact JSON and the filter grammar of the client, and nothing else of src', () => {
    expect(targets.filter(({ target }) => target.startsWith('src/') && !OF_CLIENT.test(target)).map(show)).toEqual([]);
  });

  it('reach other front ends only through ui/', () => {
    const crossing = targets.filter(({ target, folder }) => !target.startsWith(`${folder}/`) && !/^(?:ui|src)\//.test(target));
    expect(crossing.map(show)).toEqual([]);
  });
});
