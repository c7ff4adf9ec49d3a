/** Proves which parts of an observation may be committed, by which validator, and that a failure keeps its kind. */
import { describe, expect, test } from 'vitest';
import { lookup } from '../../test/critic/cases.ts';
import type { Json } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import { TOOL_OUTCOMES } from '../model/tool/tool.ts';
import { type Expectation, type ObservationCase, verifyObservation } from './verify-observation.ts';

const PROBLEM: Problem = { code: 'tool_result_invalid', path: '/id', message: 'must be a string' };

const observed = (over: Partial<ObservationCase> = {}): ObservationCase => ({
  spec: lookup,
  outcome: 'ok',
  raw: { id: 'ord_1' },
  check: () => [],
  ...over,
});
const confirming = (confirm: Expectation['confirm']): Expectation => ({ id: 'right_order@1', confirm });
const withSchema = (output_schema: { [key: string]: Json }, raw: Json) =>
  verifyObservation(observed({ spec: { ...lookup, output_schema }, raw }));

describe('a valid answer', () => {
  test('is confirmed completely by a closed schema', () => {
    expect(verifyObservation(observed())).toEqual({ ok: true, confirmed: 'all', validator: 'output_schema@1' });
  });

  test('is confirmed only in the parts that the schema checks', () => {
    const properties = { id: { type: 'string' }, 'a/b': { type: 'number' } };
    expect(withSchema({ properties }, { id: 'ord_1', 'a/b': 1, gossip: 'x' })).toMatchObject({
      confirmed: ['/id', '/a~1b'],
    });
    expect(withSchema({ properties, additionalProperties: true }, { gossip: 'x' })).toMatchObject({ confirmed: [] });
    expect(withSchema({ properties }, { constructor: 'x' })).toMatchObject({ confirmed: [] });
  });

  test.each([
    ['nothing undeclared came', { properties: { id: {} } }, { id: 1 }],
    ['others are refused anyway', { properties: { id: {} }, additionalProperties: false }, { id: 1 }],
    [
      'others have a schema of their own',
      { properties: { id: {} }, additionalProperties: { type: 'number' } },
      { id: 1, n: 2 },
    ],
    ['another keyword may have looked', { properties: { id: {} }, allOf: [{}] }, { id: 1, n: 2 }],
    ['the schema names no properties', { type: 'object' }, { n: 2 }],
    ['it is no object', { properties: { id: {} } }, ['x']],
  ])('is confirmed completely if %s', (_, schema, raw) => {
    expect(withSchema(schema, raw)).toMatchObject({ ok: true, confirmed: 'all' });
  });

  test('may be confirmed in part by an expectation, with its id as the validator', () => {
    const expectId = confirming(() => ({ confirmed: ['/id'] }));
    expect(verifyObservation(observed({ expect: expectId }))).toEqual({
      ok: true,
      confirmed: ['/id'],
      validator: 'right_order@1',
    });
    const expectAll = confirming(() => ({ confirmed: 'all' }));
    expect(verifyObservation(observed({ expect: expectAll }))).toMatchObject({ ok: true, confirmed: 'all' });
  });
});

describe('a failure', () => {
  test('keeps the outcome of the tool, for every outcome', () => {
    const failures = TOOL_OUTCOMES.filter((outcome) => outcome !== 'ok');
    expect(failures.map((outcome) => verifyObservation(observed({ outcome })))).toEqual(
      failures.map((failure) => ({
        ok: false,
        failure,
        problems: [expect.objectContaining({ path: '', message: `adp_orders.lookup answered with ${failure}` })],
        validator: 'output_schema@1',
      })),
    );
  });

  test('is not checked against the schema', () => {
    const check = () => expect.unreachable('a failed call has no answer to check');
    expect(verifyObservation(observed({ outcome: 'error', check }))).toMatchObject({ ok: false, failure: 'error' });
  });

  test('is malformed if the answer does not fit, or empty if there is none', () => {
    const check = () => [PROBLEM];
    expect(verifyObservation(observed({ check }))).toEqual({
      ok: false,
      failure: 'malformed',
      problems: [PROBLEM],
      validator: 'output_schema@1',
    });
    for (const raw of [null, '', {}, []])
      expect(verifyObservation(observed({ check, raw }))).toMatchObject({ failure: 'empty' });
  });

  test('of an expectation is verification_failed, with its id as the validator', () => {
    const expect_ = confirming(() => ({ problems: [PROBLEM] }));
    expect(verifyObservation(observed({ expect: expect_ }))).toEqual({
      ok: false,
      failure: 'verification_failed',
      problems: [PROBLEM],
      validator: 'right_order@1',
    });
  });

  test.each([
    ['says nothing is wrong and confirms nothing', () => ({ problems: [] })],
    ['confirms a part that is not there', () => ({ confirmed: ['/gone'] })],
  ])('follows from a rule that %s', (_, confirm) => {
    expect(verifyObservation(observed({ expect: confirming(confirm) }))).toMatchObject({
      ok: false,
      failure: 'verification_failed',
      problems: [{ code: 'tool_result_invalid' }],
    });
  });

  test('follows from a check that throws any value', () => {
    const throwing = (thrown: unknown) => () => {
      throw thrown;
    };
    const problems = [{ code: 'evaluator_failed', path: '', message: 'output_schema@1 failed: no schema' }];
    expect(verifyObservation(observed({ check: throwing(new Error('no schema')) }))).toMatchObject({
      ok: false,
      problems,
    });
    expect(verifyObservation(observed({ check: throwing('no schema') }))).toMatchObject({ ok: false, problems });
    expect(verifyObservation(observed({ expect: confirming(throwing(Object.create(null))) }))).toMatchObject({
      ok: false,
      problems: [{ message: 'right_order@1 failed: it threw a value of type object' }],
      validator: 'right_order@1',
    });
  });
});
