import { erasureText, Fault, lookText } from '../../index.ts';
import { type Action, type Call, isOn } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { askChoice } from '../terminal/ask.ts';
import { printed, printedJson } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { instant } from '../views/instants.ts';
import { neededReason } from './sessions.ts';
import { withRuntime, word } from './with-runtime.ts';

export const listVault: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const tenants = await runtime.vault.tenants();
    const rows = tenants.map(({ tenant_id, has_key, values, erased_at }) => [
      printed(tenant_id),
      has_key ? String(values) : 'no key',
      erased_at === null ? '-' : instant(erased_at),
    ]);
    terminal.show(tenants, () =>
      rows.length === 0
        ? 'Nothing was ever sealed.'
        : table(['TENANT', 'SEALED VALUES', 'LAST ERASED'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

/** Who had something erased, and who has looked at what. */
export const vaultHistory: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const tenant = word(call, 'tenant');
    const [erasures, looks] = [await runtime.vault.erasures(tenant), await runtime.vault.looks(tenant)];
    const rows = [
      ...erasures.map(({ at, by, reason }) => ({ at, cells: ['erased', printed(by), '-', printed(reason)] })),
      ...looks.map(({ at, by, gate_id, handle }) => ({ at, cells: ['looked', printed(by), gate_id, handle] })),
    ].toSorted((a, b) => a.at - b.at);
    terminal.show({ tenant_id: tenant, erasures, looks }, () =>
      rows.length === 0
        ? `Nobody has looked at anything of ${tenant}, and nothing of it was erased.`
        : table(
            ['WHEN', 'WHAT', 'BY', 'AT GATE', 'WHICH, OR WHY'],
            rows.map(({ at, cells }) => [instant(at), ...cells]),
            terminal.columns(),
          ),
    );
    return exitOf('done');
  });

/** What is erased is gone, so somebody says so twice: in the line, and by `--yes` or at the terminal. */
export const eraseVault: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const tenant_id = word(call, 'tenant');
    const reason = neededReason(call);
    const decider = neededDecider(flags, config);
    if (!isOn(flags, 'yes') && !(await isSure(call, tenant_id))) {
      throw new Fault('input_invalid', 'what is erased cannot be read by anybody ever again: add --yes');
    }
    const credential = decider.over((signed) => erasureText({ tenant_id, reason, ...signed }));
    await runtime.vault.erase(tenant_id, { credential, reason });
    terminal.show(
      { tenant_id, reason },
      () => `${terminal.paint('good', '✓')} the key of ${tenant_id} is destroyed; its runs replay as before`,
    );
    return exitOf('done');
  });

async function isSure({ terminal }: Call, tenant: string): Promise<boolean> {
  if (!terminal.interactive) return false;
  const answer = await askChoice(`Erase everything that is sealed for ${tenant}? There is no way back.`, [
    { value: 'no', label: 'No' },
    { value: 'yes', label: 'Erase it' },
  ]);
  return answer === 'yes';
}

/** For the eyes of whoever may decide the gate; that they looked is kept. */
export const revealSealed: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const [gate_id, handle] = [word(call, 'gate'), word(call, 'handle')];
    const credential = neededDecider(flags, config).over((signed) => lookText({ gate_id, handle, ...signed }));
    const value = await runtime.vault.reveal(gate_id, handle, credential);
    terminal.show({ gate_id, handle, value }, () => (typeof value === 'string' ? printed(value) : printedJson(value)));
    return exitOf('done');
  });
