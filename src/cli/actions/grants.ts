import { type GrantTerms, signingText } from '../../approvals.ts';
import { type Action, argument } from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { readJsonFile } from '../files.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { showTable } from '../terminal/render-table.ts';
import { formatCount, formatInstant } from '../views/format.ts';

export const listGrantsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const grants = await runtime.grants.list();
    const rows = grants.map(({ grant, revoked, uses }) => [
      grant.grant_id,
      grant.tool,
      grant.tenant_id,
      escapeText(grant.approver),
      `${uses} of ${grant.uses_max}`,
      revoked === null
        ? `until ${formatInstant(grant.expires_at)}`
        : terminal.paint('bad', `revoked by ${escapeText(revoked.by)}: ${escapeText(revoked.reason)}`),
    ]);
    showTable(terminal, grants, {
      headings: ['GRANT', 'TOOL', 'TENANT', 'BY', 'USED', 'STATE'],
      rows,
      empty: 'No standing grants.',
    });
  });

export const giveGrantAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    // The runtime validates the terms.
    const terms = readJsonFile(argument(call, 'file'), 'terms of the grant') as unknown as GrantTerms;
    const credential = requireDecider(flags, config).signText((signed) => signingText.grant({ ...terms, ...signed }));
    const grant = await runtime.grants.give(terms, credential);
    terminal.show(
      grant,
      () =>
        `${terminal.paint('good', '✓')} gave ${grant.grant_id}: up to ${formatCount(grant.uses_max, 'call')} of ${grant.tool} until ${formatInstant(grant.expires_at)}`,
    );
  });

export const revokeGrantAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const grant_id = argument(call, 'grant');
    const reason = requireReason(call);
    const credential = requireDecider(flags, config).signText((signed) =>
      signingText.revocation({ grant_id, reason, ...signed }),
    );
    await runtime.grants.revoke(grant_id, reason, credential);
    terminal.show({ grant_id, reason }, () => `${terminal.paint('good', '✓')} revoked ${grant_id}`);
  });
