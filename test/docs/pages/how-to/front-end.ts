import { deepEqual, equal } from 'node:assert/strict';
import { type Ambit, ambit } from '../../../../src/index.ts';
import { type Handler, PlainChat, serveHandler } from '../../../front-end/plain-chat.ts';
import { page as browser } from '../../ai-sdk-react/index.ts';
import type { PageFixture } from '../../page.ts';
import { CREDITED, plan, scripted, step } from '../parts.ts';

const PEOPLE = ['ada', 'bo'].map((name) => ({ name, tenant: 'tenant_acme', roles: ['subscriber'] }));

const signedIn = async (request: Request) =>
  PEOPLE.find(({ name }) => name === request.headers.get('authorization')) ?? null;

/** A request that fits two intents asks a question, and the next message answers it. */
async function answerQuestion(chatHandler: (...args: readonly unknown[]) => Handler): Promise<void> {
  const intents = [
    { intent: 'plan.tell', description: 'Tell the plan of a subscriber' },
    { intent: 'plan.compare', description: 'Tell the plans that exist' },
  ];
  const runtime = ambit({
    agent: scripted([plan(step('customer'))], { intents, models: { classifier: null, composer: null } }),
  });
  const chats = await serveHandler(chatHandler(runtime, signedIn));
  const chat = new PlainChat(chats.url, 'ada');
  await chat.sendMessage({ text: 'Tell me about my plan' });
  await chat.sendMessage({ text: 'plan.tell' });
  equal(chat.lastMessage?.metadata?.terminalCode, 'SUCCESS', JSON.stringify(chat.messages));
  await chats.close();
}

export const run: PageFixture = async ({ load }) => {
  const { chatHandler } = await load(1);
  const runtime: Ambit = ambit({ agent: scripted([...CREDITED, ...CREDITED]) });
  const chats = await serveHandler(chatHandler(runtime, signedIn, 'shown'));
  Object.assign(browser, { url: chats.url, person: 'ada' });
  const { useBillingChat } = await load(2);
  const chat = useBillingChat();
  await chat.resumed;
  await chat.sendMessage({ text: 'Credit 500 cents to invoice INV-7' });
  equal(chat.tool('credit')?.state, 'approval-requested');
  // The second person clicks in the same chat: the message claims an approval, and the session proves who sent it.
  browser.person = 'bo';
  const approving = useBillingChat();
  await approving.resumed;
  deepEqual(approving.tool('credit')?.state, 'approval-requested');
  await approving.addToolApprovalResponse({ id: approving.tool('credit')?.approval?.id ?? '', approved: true });
  while (approving.text === '') await new Promise(setImmediate);
  equal(approving.text, 'The amount is 5.00.', JSON.stringify(approving.messages));
  await chats.close();
  await answerQuestion(chatHandler);

  const { inboxHandler } = await load(3);
  const inbox = await serveHandler(inboxHandler(runtime, signedIn));
  const waiting = await runtime.invoke({ message: 'Credit 500 cents to invoice INV-7', user: PEOPLE[0] as never });
  equal(waiting.status, 'awaiting_gate');
  const headers = { authorization: 'bo' };
  const [item] = (await (await fetch(inbox.url, { headers })).json()) as Record<string, unknown>[];
  const body = JSON.stringify({ ...item, approved: true, reason: 'within policy' });
  const decided = await fetch(inbox.url, { method: 'POST', headers, body });
  deepEqual(await decided.json(), { status: 'completed' });
  await inbox.close();
};
