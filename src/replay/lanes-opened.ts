import type { KernelEnv } from '../kernel/env.ts';
import type { Frame } from '../model/frame.ts';
import { walkRun } from './walk-run.ts';

/** The runs of the lanes that a run has opened, in the order of opening. Each of them may have lanes of its own. */
export function lanesOpened(env: KernelEnv, frames: readonly Frame[]): readonly string[] {
  const opened = new Set<string>();
  for (const { state } of walkRun(env, frames)) for (const { seat } of state.lanes ?? []) opened.add(seat.run_id);
  return [...opened];
}
