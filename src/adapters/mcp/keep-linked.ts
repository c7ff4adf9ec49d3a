import { serverGone } from './failure.ts';
import type { Link } from './link.ts';

/** What is done about a server that is gone: nothing ever, or a new connection when the next call needs one. */
export type Reconnect = 'never' | 'next_call';

export interface Linked {
  /** The connection as it is, or a new one where there may be one. Two who need a new one at once share it. */
  live(): Promise<Link>;
  close(): Promise<void>;
}

/** Calls that were under way when a server went are lost with it: nothing is ever sent again from here. */
export async function keepLinked(server: string, open: () => Promise<Link>, reconnect: Reconnect): Promise<Linked> {
  let link = await open();
  let opening: Promise<Link> | null = null;
  let isClosed = false;
  return {
    live: async () => {
      if (isClosed) throw serverGone(server, 'it was closed here');
      const gone = link.gone();
      if (gone === null) return link;
      if (reconnect === 'never') throw serverGone(server, gone);
      opening ??= open().finally(() => {
        opening = null;
      });
      link = await opening;
      return link;
    },
    close: async () => {
      isClosed = true;
      await link.close();
    },
  };
}
