import { Fault } from './fault.ts';

/** Who writes to a store file: whoever appends, in the middle of everything else, or a thread beside it. */
export type StoreWriter = 'inline' | 'thread';

/** Where runs are kept, as `store` names it. */
export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string; readonly writer: StoreWriter };

const SQLITE = 'sqlite:';
const THREAD = 'writer=thread';

/** Reads the name of a store. Whatever follows a question mark is no part of the file's name. */
export function parseStore(store: string): StorePlace {
  if (store === 'memory') return { kind: 'memory' };
  const [file = '', ...settings] = store.startsWith(SQLITE) ? store.slice(SQLITE.length).split('?') : [];
  const setting = settings.join('?');
  if (file === '' || (settings.length > 0 && setting !== THREAD)) {
    const message = `store "${store}": use "memory", "sqlite:<file>" or "sqlite:<file>?${THREAD}"`;
    throw new Fault('input_invalid', message, { path: '/store' });
  }
  return { kind: 'sqlite', file, writer: setting === THREAD ? 'thread' : 'inline' };
}
