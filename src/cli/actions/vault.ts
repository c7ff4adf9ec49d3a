import { signingText } from '../../approvals.ts';
import { Fault } from '../../index.ts';
import { type Action, argument, isFlagSet } from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeJson, escapeText } from '../terminal/escape.ts';
import { confirm } from '../terminal/prompts.ts';
import { renderTable, showTable } from '../terminal/render-table.ts';
import type { CliTerminal } from '../terminal/terminal.ts';
import { formatInstant } from '../views/format.ts';

export const listVaultAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const tenants = await runtime.vault.tenants();
    const rows = tenants.map(({ tenant_id, has_key, values, erased_at }) => [
      escapeText(tenant_id),
      has_key ? String(values) : 'no key',
      erased_at === null ? '-' : formatInstant(erased_at),
    ]);
    showTable(terminal, tenants, { headings: ['TENANT', 'VALUES', 'LAST ERASED'], rows, empty: 'No sealed values.' });
  });

export const showVaultHistoryAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const tenant = argument(call, 'tenant');
    const [erasures, looks] = [await runtime.vault.erasures(tenant), await runtime.vault.looks(tenant)];
    const rows = [
      ...erasures.map(({ at, by, reason }) => ({ at, cells: ['erased', escapeText(by), '-', escapeText(reason)] })),
      ...looks.map(({ at, by, gate_id, handle }) => ({ at, cells: ['revealed', escapeText(by), gate_id, handle] })),
    ].toSorted((a, b) => a.at - b.at);
    terminal.show({ tenant_id: tenant, erasures, looks }, () =>
      rows.length === 0
        ? `No erasures and no reveals for ${tenant}.`
        : renderTable(
            ['TIME', 'ACTION', 'BY', 'GATE', 'HANDLE OR REASON'],
            rows.map(({ at, cells }) => [formatInstant(at), ...cells]),
            terminal.columns(),
          ),
    );
  });

/** Erases all sealed values of a tenant. Requires `--yes` or a confirmation at the terminal. */
export const eraseVaultAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const tenant_id = argument(call, 'tenant');
    const reason = requireReason(call);
    const decider = requireDecider(flags, config);
    if (!isFlagSet(flags, 'yes') && !(await confirmErasure(terminal, tenant_id))) {
      throw new Fault('input_invalid', 'erasing cannot be undone: confirm with --yes');
    }
    const credential = decider.signText((signed) => signingText.erasure({ tenant_id, reason, ...signed }));
    await runtime.vault.erase(tenant_id, { credential, reason });
    terminal.show(
      { tenant_id, reason },
      () => `${terminal.paint('good', '✓')} destroyed the key of ${tenant_id}; its runs can still be replayed`,
    );
  });

const confirmErasure = async ({ isInteractive }: CliTerminal, tenant: string): Promise<boolean> =>
  await confirm(isInteractive, `Erase all sealed values of ${tenant}? This cannot be undone.`, 'Erase');

/** Shows a sealed value to an approver of the gate. The vault records who saw it. */
export const revealValueAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const [gate_id, handle] = [argument(call, 'gate'), argument(call, 'handle')];
    const credential = requireDecider(flags, config).signText((signed) =>
      signingText.look({ gate_id, handle, ...signed }),
    );
    const value = await runtime.vault.reveal(gate_id, handle, credential);
    terminal.show({ gate_id, handle, value }, () =>
      typeof value === 'string' ? escapeText(value) : escapeJson(value),
    );
  });
