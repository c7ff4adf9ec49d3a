/** The requester's chat says that an approval is needed, and another person decides in an inbox, over real HTTP. */
import { expect, test } from 'vitest';
import { type ChatServer, openChatServer, PlainChat, serve, signedIn } from './bench.ts';
import { inboxHandler } from './inbox-handler.ts';

interface Item {
  readonly gateId: string;
  readonly packetHash: string;
  readonly packet: { readonly action: string };
}

async function openInbox({ runtime }: ChatServer) {
  const url = await serve(inboxHandler(runtime, signedIn));
  return {
    list: async (person: string): Promise<readonly Item[]> =>
      (await (await fetch(url, { headers: { authorization: person } })).json()) as readonly Item[],
    decide: async (person: string, decision: object): Promise<{ readonly status: number; readonly body: string }> => {
      const headers = { authorization: person };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(decision) });
      return { status: response.status, body: await response.text() };
    },
  };
}

test('a second person approves in the inbox what the requester cannot approve', async () => {
  const server = await openChatServer({ approvals: 'none' });
  const inbox = await openInbox(server);
  const ada = new PlainChat(server.url, 'ada');
  await ada.sendMessage({ text: 'Please pay my invoice.' });
  expect(ada.text).toBe('This needs the approval of another person before I can go on.');
  expect(ada.tool('invoice')).toMatchObject({ state: 'input-available' });

  expect(await inbox.list('eve')).toEqual([]);
  const [item] = await inbox.list('ben');
  expect(item).toMatchObject({ packet: { action: 'invoice' } });
  const approval = { gateId: item?.gateId, packetHash: item?.packetHash, approved: true, reason: 'within policy' };
  expect(await inbox.decide('ada', approval)).toMatchObject({ status: 400, body: expect.stringContaining('ada') });
  expect(await inbox.decide('fred', approval)).toMatchObject({ status: 400 });
  expect(await inbox.decide('eve', approval)).toMatchObject({ status: 404 });
  expect(await inbox.decide('ben', { ...approval, approved: 'yes' })).toMatchObject({ status: 404 });
  expect(server.dispatches.map(({ tool }) => tool)).toEqual(['account']);

  expect(await inbox.decide('ben', approval)).toEqual({ status: 200, body: '{"status":"completed"}' });
  await ada.resumeStream();
  expect(ada.lastMessage?.metadata).toMatchObject({ status: 'completed' });
  expect(ada.tool('invoice')).toMatchObject({ state: 'output-available' });
});
