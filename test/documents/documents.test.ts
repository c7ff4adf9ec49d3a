/**
 * Every schema of the model accepts its example document, loses no part of it, requires its fields and rejects unknown
 * ones.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/model/fault/fault.ts';
import * as model from '../../src/model/index.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import { assertJson } from '../../src/model/json/json.ts';
import { parse } from '../../src/model/json/parse.ts';
import { Plan } from '../../src/model/plan/plan.ts';
import { verifies } from '../requirements/verifies.ts';
import { DOCUMENTS, EXAMPLES, type Example, PUBLISHED, readDocument } from './examples.ts';

/** The fault that the schema reports for a document without this field. */
function withoutField({ file, schema }: Example, field: string): Fault | null {
  const { [field]: _, ...rest } = readDocument(file);
  try {
    parse(schema, rest, 'input_invalid');
    return null;
  } catch (error) {
    return error as Fault;
  }
}

test('every document in the folder has a schema', () => {
  const files = readdirSync(DOCUMENTS).map((name) => name.replace(/\.json$/, ''));
  expect(EXAMPLES.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
});

test('includes the four documents of the source texts', () => {
  expect(PUBLISHED).toHaveLength(4);
});

test('the package exports every schema', () => {
  const published = new Set<unknown>(Object.values(model));
  expect(EXAMPLES.filter(({ schema }) => !published.has(schema)).map(({ file }) => file)).toEqual([]);
});

describe.each(EXAMPLES)('$file', (example) => {
  const { file, schema, optional } = example;

  test('parses to the same bytes and leaves its input unchanged', () => {
    const document = deepFreeze(readDocument(file));
    const parsed: unknown = parse(schema, document, 'input_invalid');
    assertJson(parsed);
    assertJson(document);
    expect(canonicalize(parsed)).toBe(canonicalize(document));
  });

  test('requires each field and names the missing one', () => {
    const document = readDocument(file);
    const missing = Object.keys(document).map((field) => ({ field, fault: withoutField(example, field) }));
    expect(missing.filter(({ fault }) => fault === null).map(({ field }) => field)).toEqual(optional);
    for (const { field, fault } of missing) {
      if (fault !== null) expect({ field, path: fault.path }).toEqual({ field, path: `/${field}` });
    }
  });

  test('rejects an unknown field', () => {
    const document = { ...readDocument(file), extra: 1 };
    expect(() => parse(schema, document, 'input_invalid')).toThrow('"extra"');
  });
});

verifies('plan:schema:top-level-fields', 'a plan has its four parts', () => {
  const plan = parse(Plan, readDocument('refund-plan'), 'plan_untyped');
  expect(plan.plan_id).toBe('plan_refund_01');
  expect(plan.intent).toBe('support.refund');
  expect(plan.steps.map(({ id, tool }) => [id, tool])).toEqual([
    ['s1', 'adp_orders.lookup'],
    ['s2', 'adp_policy.eval'],
    ['s3', 'adp_payments.issue_refund'],
  ]);
  expect(plan.decision_checkpoints).toEqual([{ decision_id: 'support.refund.execute', after_step: 's2' }]);
  for (const field of ['plan_id', 'intent', 'steps', 'decision_checkpoints']) {
    const { [field]: _, ...rest } = readDocument('refund-plan');
    expect(() => parse(Plan, rest, 'plan_untyped')).toThrow(
      expect.objectContaining({ code: 'plan_untyped', path: `/${field}` }),
    );
  }
});
