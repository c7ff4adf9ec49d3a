import type { RunOutcome } from '../../index.ts';
import { exitOfRun } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextSteps } from '../views/next-step.ts';
import { outcomeView } from '../views/outcome-view.ts';

/** Shows how a run stands, and what to type next if it waits for somebody. */
export function showOutcome(terminal: Terminal, outcome: RunOutcome): number {
  const next = nextSteps(outcome);
  terminal.show({ ...outcome, next }, () => outcomeView(outcome, Date.now(), terminal.paint));
  for (const line of next) terminal.note((paint) => `${paint('quiet', 'next:')} ${line}`);
  return exitOfRun(outcome);
}
