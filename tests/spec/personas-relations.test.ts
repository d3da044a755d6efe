// Relations under personas: related rows obey the rules of their own table, and hidden tables
// cannot be used.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, sharedService } from '../support/service.ts';
import { message, PersonaSpace, said, user } from './persona-space.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES.filter((engine) => engine !== 'clickhouse'))('relations under personas on %s', (engine) => {
  let space: PersonaSpace;
  beforeAll(async () => {
    space = await PersonaSpace.make(engine, service);
    for (const statement of [
      'CREATE TABLE authors (id int PRIMARY KEY, name varchar(20) NOT NULL, country varchar(20) NOT NULL)',
      'CREATE TABLE books (id int PRIMARY KEY, author_id int NOT NULL, title varchar(20) NOT NULL, FOREIGN KEY (author_id) REFERENCES authors (id))',
      "INSERT INTO authors VALUES (1, 'Ann', 'at'), (2, 'Bob', 'be')",
      "INSERT INTO books VALUES (1, 1, 'one'), (2, 1, 'two'), (3, 2, 'three')",
    ])
      await space.database.run(statement);
  });
  afterAll(() => space?.drop());

  const get = (table: string, query: string) => space.auto('GET', table, `pg=0&ps=10&${query}`, user({ country: 'at' }));

  test('expanded rows match the rules of their own table, with its columns and masks', async () => {
    await space.only({
      authors: { read: { columns: ['id', 'name', 'country'], rows: ['country=eq.?:claims.country'], mask: { name: '***' } } },
      books: { read: { rows: ['title=ne.two'] } },
    });
    expect((await get('books', '$expand=authors')).json()).toEqual([
      { id: 1, author_id: 1, title: 'one', authors: { id: 1, name: '***', country: 'at' } },
      { id: 3, author_id: 2, title: 'three', authors: null },
    ]);
    expect((await get('authors', '$expand=books($select=title)')).json()).toEqual([
      { id: 1, name: '***', country: 'at', books: [{ title: 'one' }] },
    ]);
    expect((await get('books', '$has=authors')).json<{ id: number }[]>().map(({ id }) => id)).toEqual([1]);
    expect((await get('books', '$hasnot=authors')).json<{ id: number }[]>().map(({ id }) => id)).toEqual([3]);
    expect(said(await get('books', '$has=authors(name=eq.Ann)'))).toEqual([400, expect.stringContaining('name')]);
    expect((await get('authors', '$has=books(title=eq.two)')).json()).toEqual([]);
  });

  test('a table without a read grant, or with a hidden key, cannot be expanded', async () => {
    const missing = async (tables: Record<string, unknown>): Promise<void> => {
      await space.only(tables);
      for (const query of ['$expand=authors', '$has=authors', '$hasnot=authors', '$expand=nobody'])
        expect([query, (await get('books', query)).status]).toEqual([query, 400]);
      expect(message(await get('books', '$expand=authors'))).toBe(
        message(await get('books', '$expand=nobody')).replace('nobody', 'authors'),
      );
      const path = `/svc/rest/meta/v1/table/detail?table=books&type=${space.database.dbType}&schema=${space.database.name}`;
      expect((await space.send('GET', path, user())).json()).toMatchObject({ relations: [] });
    };
    await missing({ books: { read: true }, authors: { update: true } });
    await missing({ books: { read: { except: ['author_id'] } }, authors: { read: true } });
    await missing({ books: { read: true }, authors: { read: { except: ['id'] } } });
    await space.only({ books: { read: true, delete: true }, authors: { read: { rows: ['country=eq.be'] } } });
    expect((await space.auto('DELETE', 'books', '$has=authors&$dry_run=true', user())).json()).toEqual({ rows_affected: 1 });
  });

  test('the persona limits the length of expanded lists', async () => {
    await space.only({ authors: { read: true }, books: { read: { max_page_size: 1 } } });
    const answer = await get('authors', '$expand=books');
    expect([answer.json<{ books: unknown[] }[]>()[0]?.books.length, answer.headers['x-expand-truncated']]).toEqual([1, 'books']);
    expect((await get('authors', '$expand=books($ps=2)')).status).toBe(400);
  });
});
