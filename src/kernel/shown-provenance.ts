import type { Provenance } from '../model/evidence.ts';
import type { RealCall } from '../model/inner-call.ts';
import type { JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { afterEdit } from './after-edit.ts';
import { committedFact } from './committed-fact.ts';
import { draftedArgs } from './draft/drafted-args.ts';
import { editedArgs } from './edited-args.ts';
import type { KernelEnv } from './env.ts';
import { argumentProvenance } from './provenance.ts';
import type { RunState } from './state.ts';
import { resolveBindings } from './verify/resolve-bindings.ts';

type Sources = Readonly<Record<string, Provenance>>;

/**
 * Where each argument that a person is shown comes from. What a person has changed is theirs, and only that; of a call
 * through a dispatcher the arguments of the inner call are shown, so pointers into its envelope are cut to fit.
 */
export function shownProvenance(env: KernelEnv, state: RunState, calls: readonly RealCall[]): Sources {
  const stepId = state.current?.stepId ?? '';
  const editor = editedArgs(state, stepId) === null ? undefined : own(state.people.edits, stepId)?.by;
  const args = state.current?.args ?? {};
  const whole = editor === undefined ? argumentProvenance(state, args) : editedProvenance(env, state, args, editor);
  return calls.slice(0, -1).reduce((sources, { tool }) => inside(env, sources, tool), whole);
}

/** Where a person has changed some arguments, the others come from where they came from before. */
function editedProvenance(env: KernelEnv, state: RunState, args: JsonObject, editor: string): Sources {
  const { current, planning } = state;
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  const planned = resolveBindings(step?.params ?? {}, (id) => committedFact(state, id)?.value);
  const written = step === undefined || !planned.ok ? null : draftedArgs(state, step, planned.args);
  if (step === undefined || written === null) return argumentProvenance(state, args);
  const before = env.tools.complete(step.tool, written);
  return afterEdit(argumentProvenance(state, before), before, args, { source: editor, trusted: true });
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
