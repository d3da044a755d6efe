/** Answers of the API, and its refusals in its own words. */
import type { Answer } from './api.ts';

export interface FieldProblem {
  readonly path?: string;
  readonly field?: string;
  readonly message: string;
}

export class ApiFailure extends Error {
  readonly status: number;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];

  constructor(message: string, status = 0, requestId: string | null = null, fields: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
  }
}

export async function readAnswer(response: Response, isBinary: boolean): Promise<Answer> {
  if (response.ok && isBinary) return { status: response.status, headers: response.headers, text: '', bytes: await response.arrayBuffer() };
  const text = await response.text();
  if (response.ok) return { status: response.status, headers: response.headers, text };
  const body = parse(text);
  const message = typeof body['message'] === 'string' ? body['message'] : `The service answered ${response.status}.`;
  const fields = Array.isArray(body['errors']) ? (body['errors'] as FieldProblem[]) : [];
  throw new ApiFailure(message, response.status, response.headers.get('x-request-id'), fields);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
