/** Proves that an answer without a model states the fields that answer the request, and no others. */
import { describe, expect, test } from 'vitest';
import { REQUEST_ANSWERED } from '../../../src/model/plan/goal.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { vaults } from '../../../src/store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { ACCOUNT_REF, INVOICE_REF, QUESTION, scriptedComposer, sentence } from './bench.ts';

const ACCOUNT = {
  customer_id: 'cus_1',
  email: 'ann@example.org',
  plan: 'Pro',
  renews_on: '2026-06-03',
  auto_renew: true,
  address: { city: 'Bonn', zip: '53111' },
};
const INVOICE = {
  number: 'INV-7',
  total_cents: 4990,
  currency: 'EUR',
  paid_on: '2026-05-03',
  risk_score: 0.2,
  reminders: [{ sent_on: '2026-04-20', channel: 'mail' }],
};

/** Two tools, each with its evidence, and an agent with a criterion for each. */
const twoParts = (world: RigOptions['world'] = {}, account: Partial<ToolSpec> = {}): RigOptions => ({
  tools: {
    account: { trusted: true, produces: ['account'], execute: async () => ACCOUNT, ...account },
    invoice: { trusted: true, produces: ['done'], execute: async () => INVOICE },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'account' },
      { id: 'b', tool: 'invoice', depends_on: ['a'] },
    ]),
  ],
  agent: (agent) => {
    const [intent] = agent.intents;
    if (intent === undefined) return agent;
    const criteria = [
      { id: 'plan', statement: 'The plan is known.', rank: 'primary' as const, evidence: 'account' },
      { id: 'paid', statement: 'The payment is known.', rank: 'primary' as const, evidence: 'done' },
    ];
    return { ...agent, intents: [{ ...intent, criteria }] };
  },
  world,
});

const askedFor = async (options: RigOptions, statement = QUESTION): Promise<string> => {
  const { terminalCode, text } = await rig(options).invoke({ goal: { statement } });
  expect(terminalCode).toBe('SUCCESS');
  return text ?? '';
};

/** Values of fields that neither the request nor a criterion asks for. */
const UNASKED = ['cus_1', 'ann@example.org', 'Bonn', '53111', '0.2', 'channel', '20 April', '3 June', '{', '"'];

verifies(
  'answer:response:written-for-the-user',
  'a two-part question about two tools is answered in both parts, with a model and without one',
  async () => {
    const composed = [
      sentence('Your plan is Pro.', [ACCOUNT_REF, '/plan']),
      sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on']),
    ];
    const written = await askedFor(twoParts({ composer: scriptedComposer([composed]) }));
    expect(written).toBe('Your plan is Pro. Invoice INV-7 was paid on 3 May 2026.');
    const stated = await askedFor(twoParts());
    expect(stated).toBe('The plan is known. The payment is known.\nPlan: Pro.\nTotal: 49.90 EUR. Paid on: 3 May 2026.');
    for (const text of [written, stated]) for (const unasked of UNASKED) expect(text).not.toContain(unasked);
  },
);

describe('the words of the request select fields', () => {
  test.each([
    ['When does my plan renew?', 'Plan: Pro. Renews on: 3 June 2026.'],
    ['Is auto renewal on for my plan?', 'Plan: Pro. Auto renew: yes.'],
    ['Which plan am I on, and in which city do I live?', 'Plan: Pro. Address city: Bonn.'],
  ])('%s', async (question, stated) => {
    expect(await askedFor(twoParts(), question)).toContain(`known.\n${stated}`);
  });
});

const single = (value: object, tool: Partial<ToolSpec> = {}, respond: object | null = null): RigOptions => ({
  tools: {
    look: { trusted: true, execute: async () => value as never, ...tool },
    finish: { speaks: 'respond', produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look', context_key: 'found' },
      { id: 'z', tool: 'finish', depends_on: ['a'], ...(respond === null ? {} : { inputs: ['found'], ...respond }) },
    ]),
  ],
});

test('shows the main fields of a value that the plan chose, if no word names one', async () => {
  const text = await askedFor(single(ACCOUNT, {}, {}), 'What do you have on me?');
  expect(text).toBe(
    'The work is done.\nEmail: ann@example.org. Plan: Pro. Renews on: 3 June 2026. Auto renew: yes. Address city: Bonn. Address zip: 53111.',
  );
});

test('the objective of the answer step selects fields like the request', async () => {
  const respond = { task_objective: 'State the plan' };
  expect(await askedFor(single(ACCOUNT, {}, respond), 'What do you have on me?')).toBe('The work is done.\nPlan: Pro.');
});

test('a list becomes a table of the fields that were asked for, with the field that names each element', async () => {
  const invoices = [INVOICE, { ...INVOICE, number: 'INV-8', total_cents: 1990, paid_on: '2026-06-03' }];
  const text = await askedFor(single({ invoices, page: 1 }, {}, {}), 'What did I pay?');
  expect(text).toBe(
    ['The work is done.', '| Number | Total | Paid on |', '|---|---|---|']
      .concat('| INV-7 | 49.90 EUR | 3 May 2026 |', '| INV-8 | 19.90 EUR | 3 June 2026 |')
      .join('\n'),
  );
});

test('an empty list that was asked for is stated as none', async () => {
  const text = await askedFor(single({ invoices: [], page: 1 }, {}, {}), 'Which invoices do I have?');
  expect(text).toBe('The work is done.\nInvoices: none.');
});

describe('the phrase of a tool', () => {
  const say = { answers: { say: 'You are on the {plan} plan.' } };
  test.each([
    ['states its fields', 'Which plan am I on?', 'You are on the Pro plan.'],
    [
      'comes before other fields',
      'Which plan, and when does it renew?',
      'You are on the Pro plan. Renews on: 3 June 2026.',
    ],
    ['states a value of which no field was named', 'What is new?', 'You are on the Pro plan.'],
    ['is left out if other fields were asked for', 'Where do I live, which city?', 'Address city: Bonn.'],
  ])('%s', async (_, question, stated) => {
    expect(await askedFor(single(ACCOUNT, say, {}), question)).toBe(`The work is done.\n${stated}`);
  });
});

test('titles and descriptions of the output schema name fields', async () => {
  const output_schema = {
    type: 'object',
    properties: {
      s1: { type: 'string', title: 'Subscription level' },
      s2: { type: 'integer', description: 'Open complaints of the customer' },
    },
  };
  const tool = { output_schema } as Partial<ToolSpec>;
  expect(await askedFor(single({ s1: 'Pro', s2: 3 }, tool, {}), 'Which level am I on?')).toContain(
    'Subscription level: Pro.',
  );
  expect(await askedFor(single({ s1: 'Pro', s2: 3 }, tool, {}), 'Any complaints?')).toContain('S2: 3.');
});

test('never states a sealed field, even if it is asked for by name', async () => {
  const options = single(ACCOUNT, { privacy: { seals: ['/email'] } }, {});
  const text = await askedFor({ ...options, world: { vault: vaults.inMemory() } }, 'What is my email, and my plan?');
  expect(text).toBe('The work is done.\nPlan: Pro.');
});

test('without criteria, an answer leaves out values that only later steps needed', async () => {
  const options: RigOptions = {
    tools: {
      find: { trusted: true, execute: async () => ({ customer_id: 'cus_1', region: 'EU' }) },
      account: { trusted: true, execute: async () => ACCOUNT },
      finish: { speaks: 'respond' },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'find' },
        { id: 'b', tool: 'account', depends_on: ['a'] },
        { id: 'z', tool: 'finish', depends_on: ['b'] },
      ]),
    ],
    agent: (agent) => ({
      ...agent,
      intents: agent.intents.map((intent) => ({ ...intent, criteria: [REQUEST_ANSWERED] })),
    }),
  };
  expect(await askedFor(options, 'Which plan am I on?')).toBe('Plan: Pro.');
});

test('a currency is not stated again after an amount that shows it', async () => {
  const total = 'Which total, currency and payment date has my invoice?';
  const stated = await askedFor(twoParts(), total);
  expect(stated).toContain('Total: 49.90 EUR. Paid on: 3 May 2026.');
  expect(stated).not.toContain('Currency');
  const replaced = (...pointers: readonly string[]): Promise<string> => {
    const wrong = sentence('You paid $94.90.', ...pointers.map((pointer) => [INVOICE_REF, pointer] as const));
    return askedFor(twoParts({ composer: scriptedComposer([[wrong], [wrong]]) }), total);
  };
  expect(await replaced('/total_cents', '/currency')).toBe('Total: 49.90 EUR.');
  expect(await replaced('/currency')).toBe('Currency: EUR.');
});

describe('a text of an outsider is quoted, without links and markup that a front end could follow', () => {
  const MAIL = {
    subject: 'Invoice',
    body: 'Dear all,\n\n![logo](https://evil.example/?q=1) Click <a href="https://evil.example">here</a> to pay "now".',
  };
  const quoted =
    "'Dear all, ![logo] (https:/ /evil.example/?q=1) Click < a href=“https:/ /evil.example”>here< /a> to pay “now”.'";

  test.each([
    ['a field', MAIL, 'What is the body of the mail?', `Body (quoted from look): ${quoted}.`],
    ['a list', { notes: [MAIL.body, 'ok'] }, 'Which notes are there?', `Notes (quoted from look): ${quoted} and ok.`],
    [
      'a table',
      { mails: [MAIL] },
      'What is the body of each mail?',
      `| Subject | Body |\n|---|---|\n| Invoice | ${quoted} |`,
    ],
  ])('in %s', async (_, value, question, stated) => {
    expect(await askedFor(single(value, { trusted: false }, {}), question)).toContain(stated);
  });

  test('in the phrase of a tool', async () => {
    const tool = { trusted: false, answers: { say: 'The mail says {body}' } };
    expect(await askedFor(single(MAIL, tool, {}), 'What is the body of the mail?')).toContain(
      `The mail says ${quoted}`,
    );
  });

  test('a text of a trusted tool stays as it is', async () => {
    const text = await askedFor(
      single({ body: 'Pay "now" at [our site](https://shop.example).' }, {}, {}),
      'The body?',
    );
    expect(text).toContain('Body: Pay "now" at [our site](https://shop.example).');
  });
});
