import { type KillScope, type KillSwitch, liftText } from '../../index.ts';
import { type Action, textOf } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { instant } from '../views/instants.ts';
import { neededReason } from './sessions.ts';
import { withRuntime, word } from './with-runtime.ts';

const SCOPES = ['tool', 'agent', 'tenant'] as const;

const scopeWords = (scope: KillScope): string =>
  SCOPES.flatMap((name) => (scope[name] === undefined ? [] : [`${name} ${printed(scope[name])}`])).join(', ');

export const listSwitches: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const switches = await runtime.killSwitches.list();
    const state = ({ lifted }: KillSwitch): string =>
      lifted === null ? terminal.paint('bad', 'stops') : `lifted by ${printed(lifted.by)}, ${instant(lifted.at)}`;
    const rows = switches.map((each) => [
      each.switch_id,
      scopeWords(each.scope),
      printed(each.thrown.by),
      instant(each.thrown.at),
      state(each),
      printed(each.thrown.reason),
    ]);
    terminal.show(switches, () =>
      rows.length === 0
        ? 'No switch was ever thrown.'
        : table(['SWITCH', 'STOPS', 'BY', 'SINCE', 'STATE', 'WHY'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

/** Anybody may stop things; to let them go on is a decision. */
export const throwSwitch: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const named = SCOPES.flatMap((name) => {
      const value = textOf(flags, name);
      return value === null ? [] : [[name, value] as const];
    });
    const scope: KillScope = Object.fromEntries(named);
    const reason = neededReason(call);
    const { name: by } = neededDecider(flags, config);
    const switchId = await runtime.killSwitches.throw({ scope, by, reason });
    terminal.show(
      { switch_id: switchId, scope, by, reason },
      () => `${terminal.paint('bad', '■')} ${switchId} stops every change by ${scopeWords(scope)}; lift it with
  ambit switches lift ${switchId} --reason "…" --as <name> --role operator`,
    );
    return exitOf('done');
  });

export const liftSwitch: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const switch_id = word(call, 'switch');
    const reason = neededReason(call);
    const credential = neededDecider(flags, config).over((signed) => liftText({ switch_id, reason, ...signed }));
    await runtime.killSwitches.lift({ switchId: switch_id, reason, credential });
    terminal.show({ switch_id, reason }, () => `${terminal.paint('good', '✓')} ${switch_id} is lifted`);
    return exitOf('done');
  });
