import type { Ambit, RunOutcome } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { exitOfRun } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AboutRun } from '../views/about-run.ts';
import { nextSteps } from '../views/next-step.ts';
import { outcomeView } from '../views/outcome-view.ts';
import { aboutRun } from './about-run.ts';

/** What else there is to say about what was just done; null where the outcome says it all. */
type Remark = (about: AboutRun) => string | null;

const NO_REMARK: Remark = () => null;

/** Shows how a run stands, and what to type next if it waits for somebody. */
export async function showOutcome(
  terminal: Terminal,
  runtime: Ambit,
  outcome: RunOutcome,
  remarkOn: Remark = NO_REMARK,
): Promise<number> {
  const about = await aboutRun(runtime, outcome);
  const next = nextSteps(outcome, about).map(asTyped);
  const remark = remarkOn(about);
  terminal.show({ ...outcome, ...about, remark, next }, () =>
    [outcomeView(outcome, about, Date.now(), terminal.paint), ...(remark === null ? [] : [`  ${remark}`])].join('\n'),
  );
  for (const line of next) terminal.note((paint) => `${paint('quiet', 'next:')} ${line}`);
  return exitOfRun(outcome);
}
