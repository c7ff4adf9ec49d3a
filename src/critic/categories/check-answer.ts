import type { Hash } from '../../model/json/hash.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json/json.ts';
import { jsonAt, sameJson } from '../../model/json/json-at.ts';
import type { Problem } from '../../model/json/problem.ts';
import { type CategoryRules, rulesOf } from '../../model/tool/rules/category-rules.ts';
import type { DatabaseRules } from '../../model/tool/rules/database.ts';
import type { FileSystemRules } from '../../model/tool/rules/file-system.ts';
import type { ReadOnlyLookupRules, VectorRetrievalRules } from '../../model/tool/rules/lookups.ts';
import { hasContent, isFree, textAt } from '../../model/tool/rules/operation.ts';
import type { PaymentRules } from '../../model/tool/rules/payment.ts';
import type { SandboxCodeRules } from '../../model/tool/rules/sandbox-code.ts';
import { parseTimestamp } from '../../model/tool/rules/timestamp.ts';
import type { ToolCategory, ToolSpec } from '../../model/tool/tool.ts';

export interface AnsweredCall {
  readonly args: JsonObject;
  /** Time at which the answer was verified. */
  readonly now: number;
  readonly hash: Hash;
}

/** Checks an answer that fits its schema against the rules of the tool's category. */
type AnswerCheck<Rules> = (rules: Rules, raw: Json, call: AnsweredCall) => readonly Problem[];

const wrong = (path: string, message: string): Problem => ({ code: 'tool_result_invalid', path, message });

/** The file's content is the content that the call was to write. */
const fileSystemAnswer: AnswerCheck<FileSystemRules> = ({ content, written_hash }, raw, { args, hash }) => {
  const text = content === undefined ? undefined : jsonAt(args, content);
  if (typeof text !== 'string' || written_hash === undefined) return [];
  if (jsonAt(raw, written_hash) === hash(text)) return [];
  return [wrong(written_hash, 'is not the SHA-256 of what was to be written')];
};

/** A write names its transaction and touches no more rows than allowed. A read is not checked. */
const databaseAnswer: AnswerCheck<DatabaseRules> = ({ statement, log }, raw, { args }) => {
  const writes = !/^\s*select\b/i.test(textAt(args, statement) ?? '');
  if (!writes || log === undefined) return [];
  const rows = jsonAt(raw, log.rows);
  return [
    ...(hasContent(jsonAt(raw, log.transaction)) ? [] : [wrong(log.transaction, 'names no transaction in the log')]),
    ...(typeof rows === 'number' && rows <= (log.rows_max ?? Number.MAX_SAFE_INTEGER)
      ? []
      : [wrong(log.rows, 'is no number of rows, or more than foreseen')]),
  ];
};

/** Output and errors were both captured, and only the files that the call allowed were changed. */
const sandboxCodeAnswer: AnswerCheck<SandboxCodeRules> = (rules, raw, { args }) => {
  const missing = [rules.outputs, rules.errors].filter((pointer) => jsonAt(raw, pointer) === undefined);
  const changed = rules.changed === undefined ? [] : listAt(raw, rules.changed);
  const allowed = rules.files === undefined ? [] : listAt(args, rules.files);
  const beyond = changed.find((file) => !allowed.some((each) => sameJson(each, file)));
  return [
    ...missing.map((pointer) => wrong(pointer, 'was not captured')),
    ...(beyond === undefined ? [] : [wrong(rules.changed ?? '', 'names a file that the call did not allow to change')]),
  ];
};

function listAt(document: Json, pointer: string): readonly Json[] {
  const value = jsonAt(document, pointer);
  if (value === undefined || value === null) return [];
  return isJsonList(value) ? value : [value];
}

/** The amount and currency moved are those requested. */
const paymentAnswer: AnswerCheck<PaymentRules> = ({ operation, amount, currency, moved }, raw, { args }) => {
  if (moved === undefined || isFree(operation, args)) return [];
  return [
    ...(jsonAt(raw, moved.amount) === jsonAt(args, amount.at)
      ? []
      : [wrong(moved.amount, 'is not the amount asked for')]),
    ...(jsonAt(raw, moved.currency) === jsonAt(args, currency.at)
      ? []
      : [wrong(moved.currency, 'is not the currency asked for')]),
  ];
};

/** The answer names its source, scope and time; source and scope are those requested, and the time is recent enough. */
const readOnlyLookupAnswer: AnswerCheck<ReadOnlyLookupRules> = (rules, raw, { args, now }) => {
  const { metadata, source, scope, age_max_ms } = rules;
  const missing = [metadata.source, metadata.scope, metadata.as_of].filter((at) => !hasContent(jsonAt(raw, at)));
  if (missing.length > 0)
    return missing.map((at) => wrong(at, 'is missing: nobody can tell where the answer comes from'));
  const moment = parseTimestamp(jsonAt(raw, metadata.as_of));
  const stale = moment === null || (age_max_ms !== undefined && now - moment > age_max_ms);
  const elsewhere = textAt(raw, metadata.source) !== textAt(args, source.at);
  const beyond = scope !== undefined && textAt(raw, metadata.scope) !== textAt(args, scope.at);
  return [
    ...(elsewhere ? [wrong(metadata.source, 'is not the source that was asked')] : []),
    ...(beyond ? [wrong(metadata.scope, 'is not the scope that was asked for')] : []),
    ...(stale ? [wrong(metadata.as_of, 'is no moment, or too long ago')] : []),
  ];
};

/** Every document has its id, readers, time and citation. */
const vectorRetrievalAnswer: AnswerCheck<VectorRetrievalRules> = ({ documents, document }, raw) => {
  const found = jsonAt(raw, documents);
  if (found === undefined || !isJsonList(found)) return [wrong(documents, 'is no list of documents')];
  return found.flatMap((each, place) =>
    Object.entries(document)
      .filter(([, pointer]) => !hasContent(jsonAt(each, pointer)))
      .map(([what, pointer]) => wrong(`${documents}/${place}${pointer}`, `is missing: the ${what.replace('_', ' ')}`)),
  );
};

type Checks = { readonly [C in ToolCategory]: AnswerCheck<CategoryRules[C]> };

const NOTHING: readonly Problem[] = Object.freeze([]);
const acceptAny = (): readonly Problem[] => NOTHING;

const CHECKS: Checks = {
  read_only_lookup: readOnlyLookupAnswer,
  vector_retrieval: vectorRetrievalAnswer,
  live_api: acceptAny,
  sandbox_code: sandboxCodeAnswer,
  file_system: fileSystemAnswer,
  database: databaseAnswer,
  email_calendar: acceptAny,
  payment: paymentAnswer,
  infrastructure: acceptAny,
  review_queue: acceptAny,
};

/** Checks an answer that fits its schema by the rules of the tool's category. Pure, so that replay finds the same. */
export function checkAnswer<C extends ToolCategory>(
  spec: ToolSpec & { readonly category: C },
  raw: Json,
  call: AnsweredCall,
): readonly Problem[] {
  const rules = rulesOf(spec);
  const check: AnswerCheck<CategoryRules[C]> = CHECKS[spec.category];
  return rules === null ? NOTHING : check(rules, raw, call);
}
