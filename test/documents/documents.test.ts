/**
 * Proves that every noun of the model accepts its documents as they are written, loses nothing of them, asks for
 * each of its fields, and takes no field it does not know.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../src/model/canonical.ts';
import type { Fault } from '../../src/model/fault.ts';
import { deepFreeze } from '../../src/model/freeze.ts';
import * as door from '../../src/model/index.ts';
import { assertJson } from '../../src/model/json.ts';
import { parse } from '../../src/model/parse.ts';
import { Plan } from '../../src/model/plan.ts';
import { verifies } from '../requirements/verifies.ts';
import { DOCUMENTS, EXAMPLES, type Example, PUBLISHED, readDocument } from './examples.ts';

/** What the schema answers to a document without one of its fields. */
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

test('the four documents of the texts are among them', () => {
  expect(PUBLISHED).toHaveLength(4);
});

test('every schema can be imported from the published door', () => {
  const published = new Set<unknown>(Object.values(door));
  expect(EXAMPLES.filter(({ schema }) => !published.has(schema)).map(({ file }) => file)).toEqual([]);
});

describe.each(EXAMPLES)('$file', (example) => {
  const { file, schema, optional } = example;

  test('comes back byte for byte, and is not touched', () => {
    const document = deepFreeze(readDocument(file));
    const parsed: unknown = parse(schema, document, 'input_invalid');
    assertJson(parsed);
    assertJson(document);
    expect(canonicalize(parsed)).toBe(canonicalize(document));
  });

  test('needs each of its fields, and says which one is missing', () => {
    const document = readDocument(file);
    const missing = Object.keys(document).map((field) => ({ field, fault: withoutField(example, field) }));
    expect(missing.filter(({ fault }) => fault === null).map(({ field }) => field)).toEqual(optional);
    for (const { field, fault } of missing) {
      if (fault !== null) expect({ field, path: fault.path }).toEqual({ field, path: `/${field}` });
    }
  });

  test('takes no field it does not know', () => {
    const document = { ...readDocument(file), extra: 1 };
    expect(() => parse(schema, document, 'input_invalid')).toThrow('"extra"');
  });
});

verifies('plan:schema:top-level-fields', 'a plan carries its four parts', () => {
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
