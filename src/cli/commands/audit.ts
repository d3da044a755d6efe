/** `millrace audit`: who changed what on a running service. */
import { CLIENT_FLAGS, CLIENT_SWITCHES, Client } from '../client/client.ts';
import { Flags } from '../client/client-flags.ts';

const FILTERS = ['from', 'to', 'action', 'object', 'user', 'page', 'page-size'];

export const AUDIT_COMMAND = {
  usage: 'audit [--from TIME] [--to TIME] [--action definition.*] [--object TEXT] [--user ID] [--json]',
  summary: 'print who changed what on a running service, newest first',
  flags: [...FILTERS, ...CLIENT_SWITCHES, ...CLIENT_FLAGS],
  run: auditCommand,
};

async function auditCommand(args: readonly string[]): Promise<number> {
  const flags = new Flags(args, { values: [...FILTERS, ...CLIENT_FLAGS], switches: CLIENT_SWITCHES });
  const client = new Client(flags);
  await client.resolveNames();
  return client.list('system/api/v1/audit', {
    query: {
      from: flags.get('from'),
      to: flags.get('to'),
      action: flags.get('action'),
      object: flags.get('object'),
      user_id: flags.get('user'),
      pg: flags.get('page'),
      ps: flags.get('page-size'),
    },
    columns: ['at', 'action', 'object', 'changed', 'status', 'user_id', 'request_id'],
  });
}
