import type { Provenance } from '../model/evidence.ts';
import type { RealCall } from '../model/inner-call.ts';
import { own } from '../model/own.ts';
import { editedArgs } from './edited-args.ts';
import type { KernelEnv } from './env.ts';
import { argumentProvenance } from './provenance.ts';
import type { RunState } from './state.ts';

type Sources = Readonly<Record<string, Provenance>>;

/**
 * Where each argument that a person is shown comes from. What a person has put there themselves is theirs; of a call
 * through a dispatcher the arguments of the inner call are shown, so pointers into its envelope are cut to fit.
 */
export function shownProvenance(env: KernelEnv, state: RunState, calls: readonly RealCall[]): Sources {
  const stepId = state.current?.stepId ?? '';
  const editor = editedArgs(state, stepId) === null ? undefined : own(state.people.edits, stepId)?.by;
  if (editor !== undefined) return { '': { source: editor, trusted: true } };
  return calls.slice(0, -1).reduce((sources, { tool }) => inside(env, sources, tool), argumentProvenance(state));
}

function inside({ tools }: KernelEnv, sources: Sources, dispatcher: string): Sources {
  const unwrap = tools.get(dispatcher)?.unwrap;
  if (unwrap === undefined) return sources;
  const shown: Record<string, Provenance> = {};
  for (const [pointer, source] of Object.entries(sources)) {
    if (pointer === unwrap.args || pointer.startsWith(`${unwrap.args}/`)) {
      shown[pointer.slice(unwrap.args.length)] = source;
    } else if (covers(pointer, unwrap.args) || (covers(pointer, unwrap.tool) && !source.trusted)) {
      // All of it came from one place, or which tool it is did: then nothing of the call is better than that.
      shown[''] = source;
    }
  }
  return shown;
}

const covers = (pointer: string, other: string): boolean => other === pointer || other.startsWith(`${pointer}/`);
