/** The OpenAPI document of the caller's endpoints, a page that shows it, and llms.txt. */

import { DEMANDS } from '../../auth/caller.ts';
import { type DocumentKind, documentTag } from '../../describe/documents/document-cache.ts';
import { apiError } from '../../errors.ts';
import { enterSpace } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { hasTag } from '../files/send-file.ts';
import { sendDocument } from '../response/respond.ts';
import { VIEWER_FILES, ViewerFiles } from '../response/viewer.ts';
import type { Route, Services } from '../route.ts';

const TYPES: Readonly<Record<DocumentKind, string>> = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/x-yaml; charset=utf-8',
  llms: 'text/plain; charset=utf-8',
};

export function describeRoutes(services: Services): readonly Route[] {
  const rest = `/${services.config.pathPrefix}/rest`;
  const base = `${rest}/openapi/v1`;
  const viewer = new ViewerFiles();

  const answer = async (exchange: Exchange, kind: DocumentKind, names: readonly string[]): Promise<void> => {
    const { caller, context } = await enterSpace(services, exchange, DEMANDS.describe);
    const unknown = exchange.query.find(({ name }) => name !== 'pwt' && !names.includes(name));
    if (unknown !== undefined) throw apiError('bad_parameter', unknown.name, `it is unknown here; there are ${names.join(', ')}`);
    const slice = { db: exchange.parameter('db'), table: exchange.parameter('table') };
    const description = await services.describer.describe(caller, context, slice);
    const etag = documentTag(kind, description);
    if (hasTag(exchange.header('if-none-match'), etag)) {
      sendDocument(exchange, TYPES[kind], undefined, etag);
      return;
    }
    const document = services.documents.find(kind, description);
    await document.begun;
    sendDocument(exchange, TYPES[kind], document, etag);
    // An error from here on resets the connection.
    await document.ended;
  };

  return [
    {
      path: base,
      methods: {
        GET(exchange) {
          const format = exchange.parameter('format') ?? 'json';
          if (format !== 'json' && format !== 'yaml') throw apiError('document_format', format);
          return answer(exchange, format, ['db', 'table', 'format']);
        },
      },
    },
    { path: `${rest}/llms.txt`, methods: { GET: (exchange) => answer(exchange, 'llms', ['db', 'table']) } },
    ...VIEWER_FILES.map((file): Route => ({ path: `${base}/${file.path}`, methods: { GET: (exchange) => viewer.send(exchange, file) } })),
  ];
}
