import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';

/** The writer of a store file: the appending thread itself, or a separate thread. */
export type StoreWriter = 'inline' | 'thread';

/** The location of the runs, as parsed from `store`. */
export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string; readonly writer: StoreWriter; readonly anchorKey?: string };

const SQLITE = 'sqlite:';
const THREAD = 'writer=thread';
const ANCHOR_KEY = 'anchor_key=';

/**
 * Parses a store name. The part after a question mark is not part of the file name: it names the writer and the key file
 * that signs the permission records, as in `sqlite:ambit.db?writer=thread&anchor_key=store.key.json`.
 */
export const parseStore: (store: string) => StorePlace = guardInput('parseStore', (store: string): StorePlace => {
  if (store === 'memory') return { kind: 'memory' };
  const [file = '', ...rest] = store.startsWith(SQLITE) ? store.slice(SQLITE.length).split('?') : [];
  const settings = rest.length === 0 ? [] : rest.join('?').split('&');
  const anchorKey = settings.find((setting) => setting.startsWith(ANCHOR_KEY))?.slice(ANCHOR_KEY.length);
  const known = [THREAD, `${ANCHOR_KEY}${anchorKey}`];
  const isUnknown = settings.some((setting, place) => !known.includes(setting) || settings.indexOf(setting) !== place);
  if (file === '' || anchorKey === '' || isUnknown) {
    const forms = `"memory", "${SQLITE}<file>" or "${SQLITE}<file>?${THREAD}&${ANCHOR_KEY}<key file>"`;
    throw new Fault('input_invalid', `store "${store}": use ${forms}`, { path: '/store' });
  }
  const writer = settings.includes(THREAD) ? 'thread' : 'inline';
  return { kind: 'sqlite', file, writer, ...(anchorKey === undefined ? {} : { anchorKey }) };
});
