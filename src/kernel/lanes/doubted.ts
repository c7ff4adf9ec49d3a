import type { EffectOf } from '../../model/effect.ts';
import type { EventBody } from '../../model/event.ts';
import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state.ts';

/** A call by what it does: the same tool with the same arguments, whoever makes it. */
export type CallName = Pick<EffectOf<'clear_step'>, 'tool' | 'args_hash'>;

/** Whether a run has made this very call and does not know yet what came of it. */
export function isOutIn({ work, current }: RunState, { tool, args_hash }: CallName): boolean {
  const name = `${tool} ${args_hash}`;
  if (Object.hasOwn(work.doubts, name) && work.doubts[name]?.decided === false) return true;
  const isOut = current?.rung === 'attempted' && current.call !== null && current.seat === undefined;
  return isOut && current.tool === tool && current.argsHash === args_hash;
}

/**
 * The refusal of a call that another run of the same family has out: while nobody knows what came of it, no other run
 * above, below or beside that one makes the same call. Null where none has, and for what may be done twice.
 */
export function barredByFamily(
  { tools }: KernelEnv,
  effect: EffectOf<'clear_step'>,
  outIn: (call: CallName) => string | null,
): EventBody | null {
  const { step_id, tool } = effect;
  const spec = tools.get(tool);
  if (spec === undefined || !spec.side_effect || spec.idempotency.kind === 'natural') return null;
  const other = outIn(effect);
  if (other === null) return null;
  const message = `${other} makes this call, and nobody knows yet what comes of it`;
  return { type: 'step_refused', step_id, layer: 'risk', code: 'call_in_doubt', message, missing: [] };
}
