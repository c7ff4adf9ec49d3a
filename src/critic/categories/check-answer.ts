import type { Json } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';
import { type CategoryRules, rulesOf } from '../../model/rules/category-rules.ts';
import type { ToolCategory, ToolSpec } from '../../model/tool.ts';
import type { AnswerCheck, AnsweredCall } from './answer-check.ts';
import { databaseAnswer, fileSystemAnswer, paymentAnswer, sandboxCodeAnswer } from './effects.ts';
import { readOnlyLookupAnswer, vectorRetrievalAnswer } from './sources.ts';

type Checks = { readonly [C in ToolCategory]: AnswerCheck<CategoryRules[C]> };

const NOTHING: readonly Problem[] = Object.freeze([]);
const asItIs = (): readonly Problem[] => NOTHING;

const CHECKS: Checks = {
  read_only_lookup: readOnlyLookupAnswer,
  vector_retrieval: vectorRetrievalAnswer,
  live_api: asItIs,
  sandbox_code: sandboxCodeAnswer,
  file_system: fileSystemAnswer,
  database: databaseAnswer,
  email_calendar: asItIs,
  payment: paymentAnswer,
  infrastructure: asItIs,
  review_queue: asItIs,
};

/** What the category of a tool finds wrong with an answer that fits its schema. Pure, so that replay finds the same. */
export function checkAnswer<C extends ToolCategory>(
  spec: ToolSpec & { readonly category: C },
  raw: Json,
  call: AnsweredCall,
): readonly Problem[] {
  const rules = rulesOf(spec);
  const check: AnswerCheck<CategoryRules[C]> = CHECKS[spec.category];
  return rules === null ? NOTHING : check(rules, raw, call);
}
