import { type BoundTool, tool } from 'ambit';
import { z } from 'zod';

const id = z.string().min(1);
const cents = z.int().positive();
const currency = z.literal('EUR');
const Credit = z.object({ invoice_id: id, amount_cents: cents });
const PostedCredit = Credit.extend({ currency });

/** The terms of a customer: the largest credit, and the roles that approve one. */
const Terms = { ceiling_cents: cents, approvers: z.array(z.string()) };
const TERMS = { ceiling_cents: 50_000, approvers: ['finance'] };

/** A small accounting system that outlives the processes using it. */
export interface Erp {
  readonly tools: readonly BoundTool[];
  /** Posted credits by idempotency key. */
  readonly credits: ReadonlyMap<string, { readonly invoice_id: string; readonly amount_cents: number }>;
}

export function openErp(): Erp {
  const invoices = new Map([
    [
      'inv_22',
      { invoice_id: 'inv_22', total_cents: 120_000, agreed_cents: 96_000, currency: 'EUR' as const, ...TERMS },
    ],
  ]);
  const drafts = new Map<string, z.infer<typeof Credit>>();
  const credits = new Map<string, z.infer<typeof Credit>>();

  const read = tool({
    name: 'erp.read_invoice',
    description: 'Read an invoice and the agreed amount',
    approvalMode: 'read_only',
    inputSchema: z.object({ invoice_id: id }),
    outputSchema: z.object({ invoice_id: id, total_cents: cents, agreed_cents: cents, currency, ...Terms }),
    execute: ({ invoice_id }) => invoices.get(invoice_id),
    say: 'Invoice {invoice_id} is over {total_cents}, and {agreed_cents} was agreed.',
    effects: { produces: ['invoice'] },
    risk: { category: 'live_api', trusted: true },
    rules: { action: 'extract_terms' },
    conditions: { budget_limit: '/ceiling_cents', approval_chain: '/approvers' },
  });

  const reckon = tool({
    name: 'erp.reckon_credit',
    description: 'Compute the amount to credit',
    approvalMode: 'read_only',
    inputSchema: z.object({ invoice_id: id, total_cents: cents, agreed_cents: cents }),
    outputSchema: Credit,
    execute: ({ invoice_id, total_cents, agreed_cents }) => ({ invoice_id, amount_cents: total_cents - agreed_cents }),
    effects: { produces: ['reckoning'] },
    risk: { trusted: true },
    rules: { action: 'flag_risk' },
  });

  const draft = tool({
    name: 'erp.draft_credit',
    description: 'Draft a credit note',
    approvalMode: 'local_write',
    inputSchema: Credit,
    outputSchema: Credit,
    execute: (input, { idempotencyKey }) => {
      drafts.set(idempotencyKey, input);
      return input;
    },
    effects: { produces: ['draft'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
    risk: { category: 'live_api', trusted: true },
    rules: { action: 'prepare_recommendation' },
  });

  const post = tool({
    name: 'erp.post_credit',
    description: 'Release a credit note',
    approvalMode: 'destructive',
    inputSchema: Credit,
    outputSchema: PostedCredit,
    execute: (input, { idempotencyKey }) => {
      credits.set(idempotencyKey, input);
      return { ...input, currency: 'EUR' as const };
    },
    say: 'A credit of {amount_cents} was posted for invoice {invoice_id}.',
    effects: { produces: ['credit'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
    risk: {
      category: 'payment',
      gates: ['GATE_FINANCE_APPROVAL'],
      trusted: true,
      blastRadius: 'One credit note to one customer.',
      rollback: 'Post a debit note over the same amount.',
    },
    rules: { action: 'invoice_release' },
  });

  return { tools: [read, reckon, draft, post], credits };
}
