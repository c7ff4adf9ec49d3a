import { sameJson } from '../../../model/json/json-at.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { formsIn } from '../../../model/plan/plan.ts';
import { eachKnownStep, type Subject } from '../subject.ts';

/** True if an input of a plan by the host holds something that a plan would read as a form. */
export const hasInputForms = ({ context }: Subject): boolean => context.inputForms !== undefined;

/** Refuses a form that the host has copied from an input: a requester would otherwise write a part of the plan. */
export function checkValues(subject: Subject): readonly Problem[] {
  const { inputForms = [] } = subject.context;
  return eachKnownStep(subject, ({ id, params = {} }, _spec, index) => {
    const copied = formsIn(params).find((form) => inputForms.some((input) => sameJson(form, input)));
    if (copied === undefined) return null;
    const message = `an input of the run holds ${JSON.stringify(copied)}: the value of an input is no part of a plan`;
    return { code: 'argument_invalid', step_id: id, path: `/steps/${index}/params`, message };
  });
}
