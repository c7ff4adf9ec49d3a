import { type GrantTerms, signingText } from '../../approvals.ts';
import { type Action, argument } from '../command.ts';
import { requireDecider } from '../decider.ts';
import { getExitCode } from '../exit-codes.ts';
import { readJsonFile } from '../files.ts';
import { requireReason } from '../shared/require-flag.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape-text.ts';
import { renderTable } from '../terminal/render-table.ts';
import { formatCount, formatInstant } from '../views/format.ts';

export const listGrantsAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
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
    terminal.show(grants, () =>
      rows.length === 0
        ? 'No standing grants.'
        : renderTable(['GRANT', 'TOOL', 'TENANT', 'BY', 'USED', 'STATE'], rows, terminal.columns()),
    );
    return getExitCode('done');
  });

export const giveGrantAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    // The runtime validates the terms.
    const terms = readJsonFile(argument(call, 'file'), 'terms of the grant') as unknown as GrantTerms;
    const credential = requireDecider(flags, config).signText((signed) => signingText.grant({ ...terms, ...signed }));
    const grant = await runtime.grants.give(terms, credential);
    terminal.show(
      grant,
      () =>
        `${terminal.paint('good', '✓')} gave ${grant.grant_id}: up to ${formatCount(grant.uses_max, 'call')} of ${grant.tool} until ${formatInstant(grant.expires_at)}`,
    );
    return getExitCode('done');
  });

export const revokeGrantAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const grant_id = argument(call, 'grant');
    const reason = requireReason(call);
    const credential = requireDecider(flags, config).signText((signed) =>
      signingText.revocation({ grant_id, reason, ...signed }),
    );
    await runtime.grants.revoke(grant_id, reason, credential);
    terminal.show({ grant_id, reason }, () => `${terminal.paint('good', '✓')} revoked ${grant_id}`);
    return getExitCode('done');
  });
