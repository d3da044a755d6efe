/** The log line of a request. Put together by hand, because every request writes one. No I/O. */
import type { WorkMeter } from '../util/concurrency/work-meter.ts';
import { memo } from '../util/memo.ts';
import type { LoggedCaller, RequestEvent } from './events.ts';

/**
 * `outcome`: the fields for method, route and status. Only ids of identity providers and reasons
 * may need escapes.
 */
export function requestLine(event: RequestEvent, time: string, outcome: string): string {
  const { requestId, ms, work, bytes, caller, error, reason } = event;
  const callerPart = caller === undefined ? '' : callerFields(caller);
  const errorPart = error === undefined ? '' : `,"error":"${error}"`;
  const reasonPart = reason === undefined ? '' : `,"reason":${JSON.stringify(reason)}`;
  return `{"level":30,"time":"${time}","request_id":"${requestId}",${outcome},"ms":${formatMs(ms)}${workFields(work)},"bytes":${bytes}${callerPart}${errorPart}${reasonPart}}\n`;
}

const callerFields = memo(
  ({ orgId, projectId, userId }: LoggedCaller) =>
    `${field('org_id', orgId)}${field('project_id', projectId)},"user_id":${JSON.stringify(userId)}`,
);

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":"${value}"`;
}

function workFields({ subject, isKnown, rows, databaseMs }: WorkMeter): string {
  const subjectPart = subject === undefined || !isKnown ? '' : subject.log;
  const rowsPart = rows < 0 ? '' : `,"rows":${rows}`;
  return subjectPart + rowsPart + (databaseMs === 0 ? '' : `,"database_ms":${formatMs(databaseMs)}`);
}

/** The numbers below a thousand with three digits. */
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'));

/** Milliseconds with three decimals. Several times as fast as the text of the number. */
function formatMs(ms: number): string {
  const micros = Math.round(ms * 1000);
  const whole = Math.floor(micros / 1000);
  return `${whole}.${THREE_DIGITS[micros - whole * 1000]}`;
}
