import type { AnswerFact, FactField } from '../../model/evidence/answer.ts';
import { isAtOrBelow } from '../../model/json/pointer.ts';
import { type StatedBy, stateValue } from '../../model/text/state-value.ts';

/** States the cited fields without a model, fact by fact. Hidden fields and texts of outsiders are left out. */
export function stateFacts(
  facts: readonly AnswerFact[],
  cites: readonly FactField[],
  specOf: (tool: string) => StatedBy,
): { readonly text: string; readonly fields: readonly FactField[] } {
  const stated = facts.flatMap(({ ref, tool, value, hidden = [], untrusted = [] }) => {
    const places = [...new Set(cites.filter((cite) => cite.ref === ref).map(({ pointer }) => pointer))];
    const shown = places.filter(
      (place) => ![...hidden, ...untrusted].some((mark) => isAtOrBelow(place, mark) || isAtOrBelow(mark, place)),
    );
    const text = shown.length === 0 ? '' : stateValue(specOf(tool), value, shown);
    return text === '' ? [] : [{ text, fields: shown.map((pointer) => ({ ref, pointer })) }];
  });
  return { text: stated.map(({ text }) => text).join('\n'), fields: stated.flatMap(({ fields }) => fields) };
}
