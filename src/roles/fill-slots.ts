import type { FilledSlots } from '../model/evidence/origin.ts';
import { Fault } from '../model/fault/fault.ts';
import { isJsonList, type Json, type JsonObject } from '../model/json/json.ts';
import { Name } from '../model/json/name.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import { formsIn, type Plan, planForm } from '../model/plan/plan.ts';

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
  if (planForm(value) !== 'slot') {
    const filled = Object.entries(value).map(([key, child]) => {
      if (isFormKey(value, key) && formsIn(child).length > 0) throw notAValue(key);
      return [key, fillSlots(form, child, pointer + pointerToken(key))] as const;
    });
    return Object.fromEntries(filled);
  }
  const slot = value['$slot'];
  if (typeof slot !== 'string') throw new Fault('planner_failed', 'a slot is { "$slot": "<the name of an input>" }');
  if (!IN_PARAMS.test(pointer) && !pointer.startsWith('/output')) throw notAValue(pointer);
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

/** Whether the key is part of a binding or a draft, such as its instruction. The values in `using` are not. */
const isFormKey = (value: JsonObject, key: string): boolean => planForm(value) !== null && key !== 'using';

const notAValue = (place: string): Fault =>
  new Fault(
    'planner_failed',
    `a slot stands for a value in the params of a step or in the output, and ${place} is none`,
  );

/** Refuses an input with plan syntax in it, which would otherwise be interpreted as part of the plan. */
function assertPlain(slot: string, value: Json): void {
  const [found] = formsIn(value);
  if (found === undefined) return;
  const key = Object.keys(found).find((each) => planForm({ [each]: null }) !== null) ?? '';
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
