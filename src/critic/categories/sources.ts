import { isJsonList } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import { momentOf } from '../../model/rules/moment.ts';
import { saysSomething, textAt } from '../../model/rules/operation.ts';
import type { ReadOnlyLookupRules } from '../../model/rules/read-only-lookup.ts';
import type { VectorRetrievalRules } from '../../model/rules/vector-retrieval.ts';
import { type AnswerCheck, wrong } from './answer-check.ts';

/** An answer says where it comes from, what it covers and when it was true, and all of that is what was asked for. */
export const readOnlyLookupAnswer: AnswerCheck<ReadOnlyLookupRules> = (rules, raw, { args, now }) => {
  const { metadata, source, scope, age_max_ms } = rules;
  const unsaid = [metadata.source, metadata.scope, metadata.as_of].filter((at) => !saysSomething(jsonAt(raw, at)));
  if (unsaid.length > 0)
    return unsaid.map((at) => wrong(at, 'is missing: nobody can tell where the answer comes from'));
  const moment = momentOf(jsonAt(raw, metadata.as_of));
  const stale = moment === null || (age_max_ms !== undefined && now - moment > age_max_ms);
  const elsewhere = textAt(raw, metadata.source) !== textAt(args, source.at);
  const beyond = scope !== undefined && textAt(raw, metadata.scope) !== textAt(args, scope.at);
  return [
    ...(elsewhere ? [wrong(metadata.source, 'is not the source that was asked')] : []),
    ...(beyond ? [wrong(metadata.scope, 'is not the scope that was asked for')] : []),
    ...(stale ? [wrong(metadata.as_of, 'is no moment, or too long ago')] : []),
  ];
};

/** Every document brings its id, who may read it, its time and what to cite. */
export const vectorRetrievalAnswer: AnswerCheck<VectorRetrievalRules> = ({ documents, document }, raw) => {
  const found = jsonAt(raw, documents);
  if (found === undefined || !isJsonList(found)) return [wrong(documents, 'is no list of documents')];
  return found.flatMap((each, place) =>
    Object.entries(document)
      .filter(([, pointer]) => !saysSomething(jsonAt(each, pointer)))
      .map(([what, pointer]) => wrong(`${documents}/${place}${pointer}`, `is missing: the ${what.replace('_', ' ')}`)),
  );
};
