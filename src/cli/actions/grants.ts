import { type GrantTerms, grantText, revocationText } from '../../index.ts';
import type { Action } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { counted } from '../views/counted.ts';
import { instant } from '../views/instants.ts';
import { neededReason } from './sessions.ts';
import { withRuntime, word } from './with-runtime.ts';

export const listGrants: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const grants = await runtime.grants();
    const rows = grants.map(({ grant, revoked, uses }) => [
      grant.grant_id,
      grant.tool,
      grant.tenant_id,
      printed(grant.approver),
      `${uses} of ${grant.uses_max}`,
      revoked === null
        ? `until ${instant(grant.expires_at)}`
        : terminal.paint('bad', `revoked by ${printed(revoked.by)}: ${printed(revoked.reason)}`),
    ]);
    terminal.show(grants, () =>
      rows.length === 0
        ? 'Nothing is permitted in advance.'
        : table(['GRANT', 'TOOL', 'TENANT', 'BY', 'USED', 'STATE'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

export const giveGrant: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    // Held to its schema where it is written down.
    const terms = jsonFile(word(call, 'file'), 'terms') as unknown as GrantTerms;
    const credential = neededDecider(flags, config).over((signed) => grantText({ ...terms, ...signed }));
    const grant = await runtime.giveGrant(terms, credential);
    terminal.show(
      grant,
      () =>
        `${terminal.paint('good', '✓')} ${grant.grant_id}: up to ${counted(grant.uses_max, 'call')} of ${grant.tool} until ${instant(grant.expires_at)}`,
    );
    return exitOf('done');
  });

export const revokeGrant: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const grant_id = word(call, 'grant');
    const reason = neededReason(call);
    const credential = neededDecider(flags, config).over((signed) => revocationText({ grant_id, reason, ...signed }));
    await runtime.revokeGrant(grant_id, reason, credential);
    terminal.show({ grant_id, reason }, () => `${terminal.paint('good', '✓')} ${grant_id} is revoked`);
    return exitOf('done');
  });
