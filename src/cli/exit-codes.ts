import type { RunOutcome } from '../index.ts';

/**
 * What the command line returns besides the exits of the fault table. `docs/reference/cli.md` is compared with it both
 * ways.
 */
export const EXITS = {
  done: { exit: 0, meaning: 'Done. A run completed, or a check found nothing.' },
  found: { exit: 1, meaning: 'A check found something: a difference, a broken chain, a problem that `doctor` names.' },
  waiting: { exit: 8, meaning: 'The run waits for a person. The hint names the next command.' },
  ended_otherwise: { exit: 9, meaning: 'The run ended, and did not complete.' },
  interrupted: { exit: 130, meaning: 'Interrupted from the keyboard. What is in the journal stays there.' },
} as const;

export type ExitName = keyof typeof EXITS;

export const exitOf = (name: ExitName): number => EXITS[name].exit;

/** How a run stands, for a script that only looks at the exit code. */
export function exitOfRun({ status, terminalCode }: Pick<RunOutcome, 'status' | 'terminalCode'>): number {
  if (terminalCode === null) return exitOf('waiting');
  return exitOf(status === 'completed' ? 'done' : 'ended_otherwise');
}
