import type { Ambit, RunOutcome } from '../../index.ts';
import { formatHint } from '../cli-fault.ts';
import { getRunExitCode } from '../command.ts';
import type { CliTerminal } from '../terminal/terminal.ts';
import { listNextCommands } from '../views/next-commands.ts';
import { renderOutcome } from '../views/render-outcome.ts';
import type { RunDetails } from '../views/run-details.ts';
import { readRunDetails } from './read-run.ts';

/** Adds a sentence about the command that was just run; null for none. */
type Remark = (context: RunDetails) => string | null;

const NO_REMARK: Remark = () => null;

/** Shows the state of a run and the next commands, if it waits for a person. */
export async function showOutcome(
  terminal: CliTerminal,
  runtime: Ambit,
  outcome: RunOutcome,
  remarkOn: Remark = NO_REMARK,
): Promise<number> {
  const context = await readRunDetails(runtime, outcome);
  const next = listNextCommands(outcome, context).map(formatHint);
  const remark = remarkOn(context);
  terminal.show({ ...outcome, ...context, remark, next }, () =>
    [renderOutcome(outcome, context, Date.now(), terminal.paint), ...(remark === null ? [] : [`  ${remark}`])].join(
      '\n',
    ),
  );
  noteNextCommands(terminal, next);
  return getRunExitCode(outcome);
}

export function noteNextCommands(terminal: CliTerminal, next: readonly string[]): void {
  for (const line of next) terminal.note((paint) => `${paint('quiet', 'next:')} ${line}`);
}
