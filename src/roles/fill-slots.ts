import type { FilledSlots } from '../model/evidence/origin.ts';
import { Fault } from '../model/fault/fault.ts';
import { holdsObject, isJsonList, type Json, type JsonObject } from '../model/json/json.ts';
import { Name } from '../model/json/name.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { Plan } from '../model/plan/plan.ts';

/** The inputs of a run, and the slots of a template that they fill or leave open. */
export interface SlotForm {
  readonly inputs: JsonObject;
  readonly missing: Set<string>;
  /** JSON Pointers into the plan, each with the input that fills it. */
  readonly places: (readonly [pointer: string, input: string])[];
}

/** Returns the value with every slot filled by its input; a slot without an input is noted as missing. */
export function fillSlots(form: SlotForm, value: Json, pointer: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return value.map((item, at) => fillSlots(form, item, `${pointer}/${at}`));
  const slot = value['$slot'];
  if (typeof slot !== 'string') {
    const filled = Object.entries(value).map(
      ([key, child]) => [key, fillSlots(form, child, pointer + pointerToken(key))] as const,
    );
    return Object.fromEntries(filled);
  }
  const input = Object.hasOwn(form.inputs, slot) ? form.inputs[slot] : undefined;
  if (input !== undefined) {
    assertPlain(slot, input);
    form.places.push([pointer, slot]);
    return input;
  }
  if (!Name.safeParse(slot).success) throw new Fault('planner_failed', `"${slot}" is no name to ask for a value by`);
  form.missing.add(slot);
  return null;
}

/** The keys that make an object a binding, a draft or a slot. */
const PLAN_KEYS: readonly string[] = ['$from', '$draft', '$slot'];

/** Refuses an input with plan syntax in it, which would otherwise be interpreted as part of the plan. */
function assertPlain(slot: string, value: Json): void {
  const key = PLAN_KEYS.find((each) => holdsObject(value, (object) => Object.hasOwn(object, each)));
  if (key === undefined) return;
  throw new Fault('input_invalid', `the input ${printable(slot)} holds ${key}, which only a plan may say`);
}

const IN_PARAMS = /^\/steps\/(\d+)\/params((?:\/.*)?)$/su;

/** The filled slots by step id, which does not change when the plan is normalized. */
export function slotsByStep({ steps }: Plan, places: SlotForm['places']): FilledSlots {
  const filled: Record<string, Record<string, string>> = {};
  for (const [place, input] of places) {
    const [, index, pointer] = IN_PARAMS.exec(place) ?? [];
    const id = steps[Number(index)]?.id;
    if (id !== undefined && pointer !== undefined) filled[id] = { ...filled[id], [pointer]: input };
  }
  return filled;
}
