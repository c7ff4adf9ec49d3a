/** Rules between the fields of a document: well-typed values that contradict each other. */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { readDocument } from '../../test/documents/examples.ts';
import { Evidence } from './evidence/evidence.ts';
import { MemoryEntry } from './evidence/memory.ts';
import type { FaultCode } from './fault/fault.ts';
import { ApprovalPacket } from './gate/approval-packet.ts';
import { GateDecision } from './gate/gate.ts';
import { StandingGrant } from './gate/grant.ts';
import { parse } from './json/parse.ts';
import { Goal } from './plan/goal.ts';
import { Transcript } from './record/transcript.ts';
import { RunContext } from './run/run-context.ts';
import { parseRunRequest } from './run/run-request.ts';
import { Session } from './run/session.ts';
import { Attempted, Committed, Intended, Observed, RUNGS, Verified } from './tool/observation.ts';
import { TOOL_OUTCOMES } from './tool/tool.ts';

type Case = readonly [why: string, file: string, schema: z.ZodType, change: Record<string, unknown>, path: string];

const criterion = { id: 'x', statement: 'Done.', rank: 'secondary' };
const pause = { cause: 'operator', by: 'op_1', authority: 'operator' };
const transcript = readDocument('transcript');

const cases: readonly Case[] = [
  ['a goal without criteria', 'goal', Goal, { acceptance_criteria: [] }, '/acceptance_criteria'],
  ['a goal without a primary criterion', 'goal', Goal, { acceptance_criteria: [criterion] }, '/acceptance_criteria'],
  [
    'two criteria of one id',
    'goal',
    Goal,
    { acceptance_criteria: [{ ...criterion, rank: 'primary' }, criterion] },
    '/acceptance_criteria',
  ],
  ['a goal that says nothing', 'goal', Goal, { statement: '' }, '/statement'],
  ['an edit without parameters', 'gate-decision', GateDecision, { decision: 'edit' }, '/parameters'],
  ['an approval that changes parameters', 'gate-decision', GateDecision, { parameters: {} }, '/parameters'],
  ['an approval by nobody', 'gate-decision', GateDecision, { approver: '' }, '/approver'],
  ['an approval by the model', 'gate-decision', GateDecision, { credential: 'model' }, '/credential'],
  ['a packet without a blast radius', 'approval-packet', ApprovalPacket, { blast_radius: ' ' }, '/blast_radius'],
  ['a packet without a way back', 'approval-packet', ApprovalPacket, { rollback_path: '' }, '/rollback_path'],
  [
    'provenance of no argument',
    'approval-packet',
    ApprovalPacket,
    { provenance: { amount: { source: 'x', trusted: true } } },
    '/provenance/amount',
  ],
  ['a standing grant without end', 'standing-grant', StandingGrant, { uses_max: 0 }, '/uses_max'],
  ['a grant of another kind', 'standing-grant', StandingGrant, { kind: 'blanket' }, '/kind'],
  ['evidence that is not content-addressed', 'evidence', Evidence, { pointer: 'sha256:ABC' }, '/pointer'],
  ['a memory without a source', 'memory-entry', MemoryEntry, { source_links: [] }, '/source_links'],
  ['a call of another step', 'transcript', Transcript, { step_id: 's9' }, '/call/step_id'],
  [
    'an answer to another call',
    'transcript',
    Transcript,
    { result: { ...(transcript['result'] as object), call_id: 'call_9' } },
    '/result/call_id',
  ],
  ['an answer from the past', 'transcript', Transcript, { received_at: 0 }, '/received_at'],
  ['a nested run without a parent', 'run-context', RunContext, { depth: 0 }, '/parent'],
  ['a run nested three deep', 'run-context', RunContext, { depth: 3 }, '/depth'],
  ["another tenant's token", 'run-context', RunContext, { tenant_id: 'tenant_other' }, '/tenant_id'],
  ['a paused session that does not say why', 'invoice-session', Session, { status: 'paused' }, '/pause'],
  ['a running session that says it is paused', 'invoice-session', Session, { pause }, '/pause'],
  [
    'a session that started in local time',
    'invoice-session',
    Session,
    { started_at: '2026-05-04T10:14:00+02:00' },
    '/started_at',
  ],
];

test.each(cases)('rejects %s', (_, file, schema, change, path) => {
  expect(() => parse(schema, { ...readDocument(file), ...change }, 'input_invalid')).toThrow(
    expect.objectContaining({ code: 'input_invalid', path }),
  );
});

test('accepts a paused session with a cause and an ended session with a terminal code', () => {
  const paused = { ...readDocument('invoice-session'), status: 'paused', pause };
  const ended = { ...readDocument('invoice-session'), status: 'completed', next_step: null, terminal_code: 'SUCCESS' };
  for (const session of [paused, ended]) expect(parse(Session, session, 'input_invalid')).toEqual(session);
});

describe('the rungs of the grounding ladder', () => {
  const schemas: readonly z.ZodType[] = [Intended, Attempted, Observed, Verified, Committed];

  test('each parses as itself only, and an assumed rung parses as none', () => {
    const fits = (rung: string): readonly number[] =>
      schemas.flatMap((schema, index) => (schema.safeParse(readDocument(rung)).success ? [index] : []));
    expect(RUNGS.map(fits)).toEqual([[0], [1], [2], [3], [4]]);
    for (const rung of RUNGS) {
      const assumed = { ...readDocument(rung), rung: 'assumed' };
      expect(schemas.some((schema) => schema.safeParse(assumed).success)).toBe(false);
    }
  });

  test.each(TOOL_OUTCOMES)('accept the outcome %s as an observation', (outcome) => {
    expect(parse(Observed, { ...readDocument('observed'), outcome }, 'input_invalid')).toMatchObject({ outcome });
  });

  test('a validator confirms named parts or all, nothing else', () => {
    const verified = readDocument('verified');
    for (const confirmed of ['all', [], ['/order']]) {
      expect(parse(Verified, { ...verified, confirmed }, 'input_invalid')).toMatchObject({ confirmed });
    }
    for (const confirmed of ['most', ['order'], null, true]) {
      expect(() => parse(Verified, { ...verified, confirmed }, 'input_invalid')).toThrow();
    }
  });
});

describe('a run request', () => {
  const refused = (change: Record<string, unknown>, code: FaultCode, path: string): void => {
    expect(() => parseRunRequest({ ...readDocument('run-request'), ...change })).toThrow(
      expect.objectContaining({ code, path }),
    );
  };

  test('for a long-running session needs a duration of at least one hour', () => {
    const of = (max_session_duration_ms: number): Record<string, unknown> => ({ runtime: { max_session_duration_ms } });
    const path = '/runtime/max_session_duration_ms';
    refused(of(3_599_999), 'session_duration_too_short', path);
    refused({ runtime: {} }, 'session_duration_too_short', path);
    expect(parseRunRequest({ ...readDocument('run-request'), ...of(3_600_000) }).mode).toBe('long_running');
  });

  test('for a standard run needs no duration', () => {
    const { runtime: _, ...rest } = readDocument('run-request');
    expect(parseRunRequest({ ...rest, mode: 'standard' }).runtime).toBeUndefined();
  });

  test('must have the tenant of its identity, a known mode and a valid intent and duration', () => {
    refused({ tenant_id: 'tenant_other' }, 'envelope_invalid', '/tenant_id');
    refused({ intent: '' }, 'envelope_invalid', '/intent');
    refused({ mode: 'forever' }, 'envelope_invalid', '/mode');
    refused({ runtime: { max_session_duration_ms: 0.5 } }, 'envelope_invalid', '/runtime/max_session_duration_ms');
  });
});
