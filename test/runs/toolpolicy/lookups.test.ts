/** Lookups, retrieval, sandboxed code and review queues: free within their scope and fully recorded. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, START_MS } from '../rig.ts';
import { type Called, expectDenied, expectGate, expectRefused, expectSent, invokeCall, type Tool } from './bench.ts';

const LOOKUP = 'toolpolicy:read-only-lookup:free-unless-sensitive';
const VECTOR = 'toolpolicy:vector-retrieval:authorized-free-with-citation';
const CODE = 'toolpolicy:sandbox-code:capture-and-limit';
const REVIEW = 'toolpolicy:review-queue:no-approval-needed';

const reading: Tool = { approval_mode: 'read_only', side_effect: false };

const lookup = (params: JsonObject, answer: JsonObject): Promise<Called> =>
  invokeCall(
    {
      ...reading,
      category: 'read_only_lookup',
      rules: {
        source: { at: '/source', approved: ['docs'], sensitive: ['payroll'] },
        scope: { at: '/scope', allow: ['public', 'staff'] },
        metadata: { source: '/meta/source', scope: '/meta/scope', as_of: '/meta/as_of' },
        age_max_ms: 60_000,
      },
      execute: () => answer,
    },
    params,
  );
const META = { source: 'docs', scope: 'public', as_of: START_MS - 1_000 };

verifies(LOOKUP, 'an approved source is free, a sensitive one needs approval, any other is denied', async () => {
  expectSent(await lookup({ source: 'docs', scope: 'public' }, { text: 'yes', meta: META }));
  await expectGate(await lookup({ source: 'payroll', scope: 'staff' }, {}), 'GATE_SENSITIVE_SOURCE');
  expectDenied(await lookup({ source: 'pastebin', scope: 'public' }, {}));
  expectDenied(await lookup({ source: 'docs', scope: 'board' }, {}));
});

for (const [why, meta] of Object.entries<JsonObject>({
  'no source': { scope: 'public', as_of: START_MS },
  'no scope': { source: 'docs', as_of: START_MS },
  'no time': { source: 'docs', scope: 'public' },
  'another source than requested': { ...META, source: 'payroll' },
  'a wider scope than requested': { ...META, scope: 'staff' },
  'an outdated timestamp': { ...META, as_of: START_MS - 61_000 },
})) {
  verifies(LOOKUP, `does not verify an answer with ${why}`, async () => {
    const { bench, outcome } = await lookup({ source: 'docs', scope: 'public' }, { text: 'yes', meta });
    expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
    const events = await bench.events(outcome.runId);
    expect(events.find(({ type }) => type === 'step_verified')).toMatchObject({
      ok: false,
      validator: 'read_only_lookup@1',
    });
    expect(events.some(({ type }) => type === 'step_committed')).toBe(false);
  });
}

const DOCUMENT: JsonObject = { id: 'doc_1', access: 'tenant_a', at: '2026-05-01T00:00:00Z', cite: { page: 3 } };
const search = (corpus: string, documents: readonly JsonObject[]): Promise<Called> =>
  invokeCall(
    {
      ...reading,
      category: 'vector_retrieval',
      rules: {
        corpus: '/corpus',
        corpora: { tenant_a: ['faq'], tenant_b: ['contracts'] },
        documents: '/hits',
        document: { id: '/id', access_policy: '/access', timestamp: '/at', citation: '/cite' },
      },
      execute: () => ({ hits: documents }),
    },
    { corpus, query: 'returns' },
  );

verifies(VECTOR, "searches a permitted corpus, but not another tenant's", async () => {
  expectSent(await search('faq', [DOCUMENT]));
  expectDenied(await search('contracts', [DOCUMENT]));
  expectDenied(await search('everything', [DOCUMENT]));
});

for (const part of ['id', 'access', 'at', 'cite']) {
  verifies(VECTOR, `does not verify a document without its ${part}`, async () => {
    const { [part]: _, ...bare } = DOCUMENT;
    const { bench, outcome } = await search('faq', [DOCUMENT, bare]);
    expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
    const verified = (await bench.events(outcome.runId)).find(({ type }) => type === 'step_verified');
    expect(verified).toMatchObject({ ok: false, problems: [{ path: expect.stringMatching(/^\/hits\/1\//) }] });
  });
}

const SANDBOX: Tool = {
  category: 'sandbox_code',
  rules: {
    code: '/code',
    inputs: '/inputs',
    limits: '/limits',
    outputs: '/stdout',
    errors: '/stderr',
    files: '/writable',
    changed: '/changed',
    mutation: 'strict',
  },
  execute: () => ({ stdout: '42', stderr: '', changed: [] }),
};
const SCRIPT: JsonObject = { code: 'print(6 * 7)', inputs: {}, limits: { ms: 1_000 } };

verifies(CODE, 'a script runs freely, with code, inputs, outputs, errors and limits recorded', async () => {
  const called = await invokeCall(SANDBOX, SCRIPT);
  expectSent(called);
  const [transcript] = await called.bench.runtime.records.transcripts(called.outcome.runId);
  const record = JSON.stringify(transcript);
  for (const captured of ['print(6 * 7)', '"inputs":{}', '"stdout":"42"', '"stderr":""', '"limits":{"ms":1000}']) {
    expect(record).toContain(captured);
  }
});

verifies(CODE, 'does not verify output that was not captured, and rejects a call without limits', async () => {
  const silentErrors = await invokeCall({ ...SANDBOX, execute: () => ({ stdout: '42', changed: [] }) }, SCRIPT);
  expect(silentErrors.outcome.terminalCode).toBe('VALIDATION_FAIL');
  const { limits: _, ...boundless } = SCRIPT;
  expectRefused(await invokeCall(SANDBOX, boundless), 'VALIDATION_FAIL', 'argument_invalid');
});

verifies(
  CODE,
  'under the strict policy code that may change files needs approval, and other changes are detected',
  async () => {
    const writing = { ...SCRIPT, writable: ['out.csv'] };
    const packet = await expectGate(await invokeCall(SANDBOX, writing), 'GATE_SANDBOX_FILES');
    expect(packet['preview']).toEqual({ files: ['out.csv'] });
    const free: Tool = { ...SANDBOX, rules: { ...SANDBOX.rules, mutation: 'free' } };
    expectSent(
      await invokeCall({ ...free, execute: () => ({ stdout: '', stderr: '', changed: ['out.csv'] }) }, writing),
    );
    const sly = await invokeCall({ ...SANDBOX, execute: () => ({ stdout: '', stderr: '', changed: ['etc'] }) }, SCRIPT);
    expect(sly.outcome.terminalCode).toBe('VALIDATION_FAIL');
  },
);

verifies(CODE, 'a script over its time limit is observed as a timeout', async () => {
  const { bench, outcome } = await invokeCall(
    { ...SANDBOX, timeout_ms: 50, retries_max: 0, execute: neverAnswers },
    SCRIPT,
  );
  const events = await bench.events(outcome.runId);
  expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({ outcome: 'timeout' });
  expect(events.some(({ type }) => type === 'step_committed')).toBe(false);
});

const QUEUE: Tool = {
  category: 'review_queue',
  rules: {
    reason: '/reason',
    queue: { at: '/queue', allow: ['fraud'] },
    severity: { at: '/severity', allow: ['low', 'high'] },
    evidence: '/evidence',
  },
};
const CASE: JsonObject = { reason: 'amounts differ', queue: 'fraud', severity: 'high', evidence: ['ev_1'] };

verifies(REVIEW, 'requesting a review needs no approval, and its four fields are recorded', async () => {
  const called = await invokeCall(QUEUE, CASE);
  expectSent(called);
  expect(called.outcome.pending).toEqual([]);
  const events = await called.bench.events(called.outcome.runId);
  expect(events.find(({ type }) => type === 'step_cleared')).toMatchObject({ args: CASE, gates: [] });
});

verifies(REVIEW, 'rejects a review request without any of the four fields', async () => {
  for (const evidence of [[], {}, null, '']) {
    expectRefused(await invokeCall(QUEUE, { ...CASE, evidence }), 'VALIDATION_FAIL', 'packet_incomplete');
  }
  const { evidence: _, ...bare } = CASE;
  expectRefused(await invokeCall(QUEUE, bare), 'VALIDATION_FAIL', 'packet_incomplete');
  expectRefused(await invokeCall(QUEUE, { ...CASE, reason: '' }), 'VALIDATION_FAIL', 'argument_invalid');
  expectDenied(await invokeCall(QUEUE, { ...CASE, queue: 'void' }));
  expectDenied(await invokeCall(QUEUE, { ...CASE, severity: 'none' }));
});
