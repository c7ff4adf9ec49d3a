import { type KillScope, type KillSwitch, signingText } from '../../approvals.ts';
import { type Action, argument, readTextFlag } from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { showTable } from '../terminal/render-table.ts';
import { formatInstant } from '../views/format.ts';

const SCOPES = ['tool', 'agent', 'tenant'] as const;

const describeScope = (scope: KillScope): string =>
  SCOPES.flatMap((name) => (scope[name] === undefined ? [] : [`${name} ${escapeText(scope[name])}`])).join(', ');

export const listSwitchesAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const switches = await runtime.killSwitches.list();
    const state = ({ lifted }: KillSwitch): string =>
      lifted === null
        ? terminal.paint('bad', 'active')
        : `lifted by ${escapeText(lifted.by)}, ${formatInstant(lifted.at)}`;
    const rows = switches.map((each) => [
      each.switch_id,
      describeScope(each.scope),
      escapeText(each.thrown.by),
      formatInstant(each.thrown.at),
      state(each),
      escapeText(each.thrown.reason),
    ]);
    showTable(terminal, switches, {
      headings: ['SWITCH', 'BLOCKS', 'BY', 'SINCE', 'STATE', 'REASON'],
      rows,
      empty: 'No kill switches.',
    });
  });

/** Throws a kill switch. It needs only a name, because blocking is safe; lifting needs a credential. */
export const throwSwitchAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const entries = SCOPES.flatMap((name) => {
      const value = readTextFlag(flags, name);
      return value === null ? [] : [[name, value] as const];
    });
    const scope: KillScope = Object.fromEntries(entries);
    const reason = requireReason(call);
    const { name: by } = requireDecider(flags, config);
    const switchId = await runtime.killSwitches.throw({ scope, by, reason });
    terminal.show(
      { switch_id: switchId, scope, by, reason },
      () => `${terminal.paint('bad', '■')} ${switchId} blocks all side effects of ${describeScope(scope)}; lift it with
  ambit switches lift ${switchId} --reason "…" --as <name> --role operator`,
    );
  });

export const liftSwitchAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const switch_id = argument(call, 'switch');
    const reason = requireReason(call);
    const credential = requireDecider(flags, config).signText((signed) =>
      signingText.lift({ switch_id, reason, ...signed }),
    );
    await runtime.killSwitches.lift({ switchId: switch_id, reason, credential });
    terminal.show({ switch_id, reason }, () => `${terminal.paint('good', '✓')} lifted ${switch_id}`);
  });
