import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';

/** The writer of a store file: the appending thread itself, or a separate thread. */
export type StoreWriter = 'inline' | 'thread';

/** The location of the runs, as parsed from `store`. */
export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string; readonly writer: StoreWriter };

const SQLITE = 'sqlite:';
const THREAD = 'writer=thread';

/** Parses a store name. The part after a question mark is not part of the file name. */
export const parseStore: (store: string) => StorePlace = guardInput('parseStore', (store: string): StorePlace => {
  if (store === 'memory') return { kind: 'memory' };
  const [file = '', ...settings] = store.startsWith(SQLITE) ? store.slice(SQLITE.length).split('?') : [];
  const setting = settings.join('?');
  if (file === '' || (settings.length > 0 && setting !== THREAD)) {
    const message = `store "${store}": use "memory", "sqlite:<file>" or "sqlite:<file>?${THREAD}"`;
    throw new Fault('input_invalid', message, { path: '/store' });
  }
  return { kind: 'sqlite', file, writer: setting === THREAD ? 'thread' : 'inline' };
});
