// Inputs in the path: which endpoint a path selects, and the values of braces.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let postgres: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  postgres = await createDatabase('postgres');
  service = await sharedService();
  bench = new Bench(service, await setUpProject(service, [postgres.entry()]), postgres);
});
afterAll(async () => {
  await service?.stop();
  await postgres?.drop();
});

const ECHO = [{ expr: 'echo', code: 'input' }];
const says = (word: string): object[] => [{ expr: 'word', code: JSON.stringify(word) }];
const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const deploy = (sketch: Sketch) => bench.deployText(stringify(bench.document(sketch)));

test('a segment in braces is an input: a string, or of the declared type', async () => {
  await bench.deploy({ uri: 'customers/{id}/invoices', logic: ECHO });
  expect((await bench.get('customers/7/invoices?a=1')).json()).toEqual({ id: '7', a: '1' });
  expect((await bench.get('customers/a%2Fb%20c/invoices')).json()).toEqual({ id: 'a/b c' });
  expect((await bench.get('customers/7/8/invoices')).status).toBe(404);
  expect((await bench.get('customers//invoices')).status).toBe(404);
  expect((await bench.get('customers/{}/invoices')).json()).toEqual({ id: '{}' });

  await bench.deploy({ uri: 'things/{id}', input: { id: { type: 'integer', minimum: 1 } }, logic: [{ sql: 'SELECT ?:id::int AS id' }] });
  expect((await bench.get('things/7')).json()).toEqual([{ id: 7 }]);
  expect((await bench.get('things/x')).json()).toMatchObject({ errors: [{ field: 'id', message: 'must be a whole number' }] });
});

test('the path wins over a field of the same name, and a different value is rejected', async () => {
  await bench.deploy({ uri: 'both/{id}', method: 'post', logic: ECHO });
  expect((await bench.call('POST', 'both/7', json({ id: '7', b: 1 }))).json()).toEqual({ id: '7', b: 1 });
  expect((await bench.call('POST', 'both/7', json({ id: '8' }))).json()).toMatchObject({ code: 400, errors: [{ field: 'id' }] });
  expect((await bench.call('POST', 'both/7?id=8')).status).toBe(400);
  await bench.deploy({ uri: 'typed/{id}', method: 'post', input: { id: { type: 'integer' } }, logic: ECHO });
  expect((await bench.call('POST', 'typed/7', json({ id: 7 }))).json()).toEqual({ id: 7 });
  expect((await bench.call('POST', 'typed/7', json({ id: 8 }))).status).toBe(400);
  // A name of the path needs no declaration.
  await bench.deploy({ uri: 'named/{id}', input: { a: { type: 'string' } }, logic: ECHO });
  expect((await bench.get('named/7')).json()).toEqual({ a: null, id: '7' });
});

describe('the most literal uri wins, from left to right', () => {
  beforeAll(async () => {
    for (const uri of ['a/b/c', 'a/{x}/c', 'a/b/{y}', '{x}/b/c', 'a/{x}/{y}']) await bench.deploy({ uri, logic: says(uri) });
    await bench.deploy({ uri: 'a/{x}/c', method: 'post', logic: says('post') });
  });

  test.each([
    ['a/b/c', 'a/b/c'],
    ['a/z/c', 'a/{x}/c'],
    ['a/b/z', 'a/b/{y}'],
    ['z/b/c', '{x}/b/c'],
    ['a/z/z', 'a/{x}/{y}'],
  ])('%s is %s', async (path, uri) => {
    expect((await bench.get(path)).json()).toBe(uri);
  });

  test('among the uris with the requested method', async () => {
    expect((await bench.call('POST', 'a/b/c')).json()).toBe('post');
    const refused = await bench.call('PUT', 'a/b/c');
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, POST']);
    expect((await bench.get('z/z/c')).status).toBe(404);
  });
});

test('uris that differ only in the names in braces are the same endpoint', async () => {
  await bench.deploy({ uri: 'same/{a}', logic: ECHO });
  expect((await deploy({ uri: 'same/{b}', logic: ECHO })).status).toBe(409);
  expect((await deploy({ uri: 'same/{b}', method: 'post', logic: ECHO })).status).toBe(201);
  // Another version may call it otherwise, and may fall back.
  await bench.deploy({
    uri: 'same/{c}',
    version: '2.0.0',
    logic: [{ sql: 'SELECT * FROM nowhere' }],
    config: { rollback_version: '1.0.0' },
  });
  const response = await bench.get('same/1');
  expect([response.json(), response.headers['x-rolled-back-from']]).toEqual([{ a: '1' }, '2.0.0']);
  expect((await bench.send('DELETE', '?uri=same/{x}&method=get&version=2.0.0', undefined)).status).toBe(200);
  expect((await bench.send('DELETE', '?uri=same/{a}&method=get&version=1.0.0', undefined)).status).toBe(200);
  expect((await bench.get('same/1')).status).toBe(405);
});

test.each(['a-{b}', '{b}c', 'x/{a}/{a}', '{}', '{1}', '{a', 'x/{a b}'])('%s is not a valid uri', async (uri) => {
  expect((await deploy({ uri, logic: ECHO })).json()).toMatchObject({ code: 400, message: expect.stringContaining('http.uri') });
});
