import { decodeText } from "../../decode-text.ts";

/**
 * Finds the titles between the audio of an ICY stream: after each `icy-metaint` bytes of audio come a byte
 * with a sixteenth of a block's length, and the block. It is empty while nothing changes.
 */

/** What a block says. */
interface IcyTitle {
  readonly title: string;
  readonly isAdvertisement: boolean;
}

/** Takes bytes, and gives the titles that are complete with them. */
type IcyReader = (bytes: Uint8Array) => readonly IcyTitle[];

const BLOCK_UNIT = 16;

/** @param interval the bytes of audio between two blocks */
export function createIcyReader(interval: number): IcyReader {
  let audioLeft = interval;
  /** Of the block that is being read; `undefined` before its length is known. */
  let blockLeft: number | undefined;
  let block: Uint8Array = new Uint8Array();
  const nextAudio = () => {
    audioLeft = interval;
    blockLeft = undefined;
    block = new Uint8Array();
  };
  return (bytes) => {
    const titles: IcyTitle[] = [];
    for (let at = 0; at < bytes.length;) {
      if (audioLeft > 0) {
        const passed = Math.min(audioLeft, bytes.length - at);
        audioLeft -= passed;
        at += passed;
      } else if (blockLeft === undefined) {
        blockLeft = (bytes[at] ?? 0) * BLOCK_UNIT;
        at += 1;
        if (blockLeft === 0) nextAudio();
      } else {
        const part = bytes.subarray(at, at + blockLeft);
        block = Buffer.concat([block, part]);
        blockLeft -= part.length;
        at += part.length;
        if (blockLeft > 0) continue;
        titles.push(...readBlock(block));
        nextAudio();
      }
    }
    return titles;
  };
}

const BEGINS_TITLE = "StreamTitle='";
/**
 * A title may hold semicolons and apostrophes, such as those of `&#1050;`: it ends where another field
 * begins, or the block.
 */
const TITLE = /^(.*?)'(?:;\s*(?=[A-Za-z_]\w*=')|;?\s*$)/s;

function readBlock(block: Uint8Array): readonly IcyTitle[] {
  const text = decodeText(block).replace(/\0+$/, "");
  const begin = text.indexOf(BEGINS_TITLE);
  const title = TITLE.exec(text.slice(begin + BEGINS_TITLE.length))?.[1];
  if (begin === -1 || title === undefined) return [];
  // https://docs.adswizz.com marks what is spliced in.
  return [{ title, isAdvertisement: /\badw_ad='true'/i.test(text) }];
}
