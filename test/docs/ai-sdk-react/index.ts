/** `useChat` without React: the chat of the AI SDK that the hook wraps, with the hook's options. */
import { type ChatInit, DefaultChatTransport } from 'ai';
import { type ChatMessage, HeadlessChat } from '../../front-end/plain-chat.ts';

/** The address and the signed-in person, which a browser takes from its page. */
export const page = { url: '', person: '' };

/** A chat, and the promise of the stream that it continues. */
export type ResumedChat = HeadlessChat & { readonly resumed: Promise<void> };

export function useChat({
  resume = false,
  ...init
}: ChatInit<ChatMessage> & { readonly resume?: boolean }): ResumedChat {
  const transport = new DefaultChatTransport<ChatMessage>({ api: page.url, headers: { authorization: page.person } });
  const chat = new HeadlessChat({ id: 'chat_1', transport, ...init });
  return Object.assign(chat, { resumed: resume ? chat.resumeStream() : Promise.resolve() });
}
