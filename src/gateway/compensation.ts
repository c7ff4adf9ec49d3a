import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { isJsonObject, type Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { storedAt } from '../model/stored-answer.ts';
import { takeJson } from '../model/take-json.ts';
import type { ToolCall, ToolSpec } from '../model/tool.ts';
import type { Tools } from '../ports/tools.ts';
import { argumentsByName } from './tool/probing.ts';

/** A call that had an effect, what it brought back, and the name of the tool that takes it back. */
export interface MadeBefore {
  readonly call: ToolCall;
  readonly result: Json;
  readonly tool: string;
}

/** Makes out what a call is taken back with. Nothing is sent, and code that throws leaves the effect where it is. */
export function compensationFor(
  tools: Tools,
  { call, result, tool }: MadeBefore,
  spec: ToolSpec | undefined,
): EventBody {
  const about = { type: 'compensation_proposed', call_id: call.call_id, tool } as const;
  if (spec === undefined) return { ...about, args: null, detail: `there is no tool ${tool}` };
  const made = {
    args: call.args,
    idempotencyKey: call.idempotency_key,
    get result(): Json {
      // What stands in its place is not what the call brought back, and nothing may be taken back by mistake.
      if (storedAt(result) === null) return result;
      throw new Fault(
        'binding_unresolved',
        `the answer of ${call.tool} is too large for the journal, and kept beside it`,
      );
    },
  };
  try {
    const described = tools.probing?.(call.tool)?.compensate?.args;
    const args = takeJson(described === undefined ? argumentsByName(spec.input_schema, made) : described(made));
    if (isJsonObject(args)) return { ...about, args, detail: '' };
    return { ...about, args: null, detail: `what ${tool} is to be given is no object` };
  } catch (error) {
    return { ...about, args: null, detail: `what ${tool} is to be given could not be made out: ${reasonOf(error)}` };
  }
}
