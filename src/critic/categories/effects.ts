import { isJsonList, type Json } from '../../model/json.ts';
import { jsonAt, sameJson } from '../../model/json-at.ts';
import type { DatabaseRules } from '../../model/rules/database.ts';
import type { FileSystemRules } from '../../model/rules/file-system.ts';
import { isFree, saysSomething, textAt } from '../../model/rules/operation.ts';
import type { PaymentRules } from '../../model/rules/payment.ts';
import type { SandboxCodeRules } from '../../model/rules/sandbox-code.ts';
import { type AnswerCheck, wrong } from './answer-check.ts';

/** What is in the file now is what was to be written. */
export const fileSystemAnswer: AnswerCheck<FileSystemRules> = ({ content, written_hash }, raw, { args, hash }) => {
  const text = content === undefined ? undefined : jsonAt(args, content);
  if (typeof text !== 'string' || written_hash === undefined) return [];
  if (jsonAt(raw, written_hash) === hash(text)) return [];
  return [wrong(written_hash, 'is not the SHA-256 of what was to be written')];
};

/** A write names its transaction and touches no more rows than foreseen. A read has nothing to show for itself. */
export const databaseAnswer: AnswerCheck<DatabaseRules> = ({ statement, log }, raw, { args }) => {
  const writes = !/^\s*select\b/i.test(textAt(args, statement) ?? '');
  if (!writes || log === undefined) return [];
  const rows = jsonAt(raw, log.rows);
  return [
    ...(saysSomething(jsonAt(raw, log.transaction)) ? [] : [wrong(log.transaction, 'names no transaction in the log')]),
    ...(typeof rows === 'number' && rows <= (log.rows_max ?? Number.MAX_SAFE_INTEGER)
      ? []
      : [wrong(log.rows, 'is no number of rows, or more than foreseen')]),
  ];
};

/** What came out and what went wrong are both on record, and nothing was changed beyond what the call allowed. */
export const sandboxCodeAnswer: AnswerCheck<SandboxCodeRules> = (rules, raw, { args }) => {
  const unsaid = [rules.outputs, rules.errors].filter((pointer) => jsonAt(raw, pointer) === undefined);
  const changed = rules.changed === undefined ? [] : listAt(raw, rules.changed);
  const allowed = rules.files === undefined ? [] : listAt(args, rules.files);
  const beyond = changed.find((file) => !allowed.some((each) => sameJson(each, file)));
  return [
    ...unsaid.map((pointer) => wrong(pointer, 'was not captured')),
    ...(beyond === undefined ? [] : [wrong(rules.changed ?? '', 'names a file that the call did not allow to change')]),
  ];
};

function listAt(document: Json, pointer: string): readonly Json[] {
  const value = jsonAt(document, pointer);
  if (value === undefined || value === null) return [];
  return isJsonList(value) ? value : [value];
}

/** What was moved is what was asked for. */
export const paymentAnswer: AnswerCheck<PaymentRules> = ({ operation, amount, currency, moved }, raw, { args }) => {
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
