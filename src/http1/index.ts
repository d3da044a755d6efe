/** The interface of the HTTP/1.1 library: a listener, and what its handlers receive. */

export { type HeaderSection, headerOf } from './head/header-section.ts';
export type { RequestHead } from './head/request-head.ts';
export { Listener } from './listener.ts';
export { HttpReply, SINGLE_WRITE_BYTES } from './reply.ts';
export type { RejectReason } from './request-rejected.ts';
