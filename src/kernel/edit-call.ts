import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { realCalls } from '../model/inner-call.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { printable } from '../model/printable.ts';
import { advance } from './advance.ts';
import type { KernelEnv } from './env.ts';
import type { OpenGate } from './people-state.ts';
import type { Reaction } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';
import { unsuspend } from './suspend.ts';
import { tokensOf } from './verify/pointer-walk.ts';

/**
 * Puts a person's arguments in the place of the plan's and lets the call go through everything again: the gateway
 * clears it as it would any other, and every gate of it asks anew about a new packet.
 */
export function editCall(env: KernelEnv, state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const { current, planning, people } = state;
  if (gate.kind !== 'action' || current === null || planning.active === null) {
    throw new Fault('event_illegal', `only the arguments of a call can be edited, and gate ${gate.gateId} shows none`);
  }
  if (event.parameters === undefined) {
    throw new Fault('input_missing', 'an edit says which arguments it wants', { path: '/parameters' });
  }
  const args = rewrapped(env, current, event.parameters);
  const [problem] = env.tools.checkArguments(current.tool, args);
  if (problem !== undefined) {
    const { path, message } = problem;
    const which = path === '' ? 'the edited arguments' : `the edited argument ${printable(path.slice(1))}`;
    throw new Fault('argument_invalid', `${which}: ${message}`, { path });
  }
  const edit = { planHash: planning.active.hash, args, by: event.approver };
  const reopened: RunState = {
    ...state,
    people: {
      ...people,
      gates: [],
      undecided: 0,
      decision: 'continue',
      edits: { ...people.edits, [current.stepId]: edit },
    },
  };
  return advance(env, unsuspend(reopened));
}

/** A person edits what they were shown: the call itself, and not the envelope of a dispatcher around it. */
function rewrapped({ tools }: KernelEnv, { tool, args }: CurrentStep, parameters: JsonObject): JsonObject {
  const calls = realCalls({ tool, args }, (name) => tools.get(name)) ?? [{ tool, args }];
  let inner: JsonObject = parameters;
  for (const call of calls.slice(0, -1).toReversed()) {
    inner = replacedAt(call.args, tokensOf(tools.get(call.tool)?.unwrap?.args ?? ''), inner) as JsonObject;
  }
  return inner;
}

function replacedAt(value: Json, [token, ...rest]: readonly string[], replacement: Json): Json {
  if (token === undefined) return replacement;
  if (isJsonList(value))
    return value.map((item, at) => (String(at) === token ? replacedAt(item, rest, replacement) : item));
  if (!isJsonObject(value)) throw new Fault('argument_invalid', `there is nothing at ${printable(token)} to edit`);
  return { ...value, [token]: replacedAt(value[token] ?? null, rest, replacement) };
}
