import { addKey, listKeys, revokeKey, rotateKey } from "../accounts/key-actions.ts";
import { endAllSessions, endSession, listSessions } from "../accounts/session-actions.ts";
import {
  addUsers,
  chooseLanguage,
  deleteAccount,
  endFirstSteps,
  listUsers,
  makeSignInLink,
  removeUser,
} from "../accounts/user-actions.ts";
import {
  changeChatOptions,
  enterChatApp,
  linkChat,
  listChats,
  sayInChat,
  unlinkChat,
} from "../chat/actions.ts";
import {
  hideTitle,
  pauseSharing,
  resumeSharing,
  setPrivacyRules,
  showTitle,
} from "../accounts/privacy-actions.ts";
import { clearHistory, keepHistory } from "../music/history-actions.ts";
import { searchCovers, setCoversOfConnection } from "../covers/actions.ts";
import { addHook, listHooks, removeHook, testHook } from "../hooks/actions.ts";
import {
  addWidget,
  copyWidget,
  listWidgets,
  removeWidget,
  renameWidget,
  restoreWidget,
  rotateWidget,
  widgetUrl,
} from "../looks/actions.ts";
import { makeOfLook, useLook } from "../looks/look-actions.ts";
import { setOptions } from "../looks/option-actions.ts";
import { enterApp } from "../linking/actions.ts";
import { connect } from "../music/connect-actions.ts";
import {
  disconnect,
  listConnections,
  moveConnection,
  orderConnections,
  renameConnection,
  rotateConnection,
} from "../music/connection-actions.ts";
import { setTitles, setTitlesOfConnection } from "../titles/actions.ts";
import { replaceSecretKey } from "../vault/actions.ts";
import { listVersions, saveWidget, testWidgets } from "../looks/editor-actions.ts";
import { addFont, listFonts, removeFont } from "../looks/font-actions.ts";
import { removeStandInCover, setStandInCover } from "../looks/stand-in-actions.ts";
import type { AnyAction } from "./action.ts";

/** Everything that can be done here, in the order of `--help`. */
export const ACTIONS: readonly AnyAction[] = [
  addUsers,
  listUsers,
  searchCovers,
  endFirstSteps,
  removeUser,
  listWidgets,
  addWidget,
  copyWidget,
  renameWidget,
  removeWidget,
  restoreWidget,
  setOptions,
  widgetUrl,
  rotateWidget,
  makeOfLook,
  useLook,
  connect,
  disconnect,
  listConnections,
  orderConnections,
  moveConnection,
  renameConnection,
  rotateConnection,
  enterApp,
  addKey,
  listKeys,
  revokeKey,
  rotateKey,
  addHook,
  listHooks,
  removeHook,
  testHook,
  enterChatApp,
  linkChat,
  listChats,
  changeChatOptions,
  sayInChat,
  unlinkChat,
  setTitles,
  pauseSharing,
  resumeSharing,
  setPrivacyRules,
  hideTitle,
  showTitle,
  keepHistory,
  clearHistory,
  setTitlesOfConnection,
  setCoversOfConnection,
  chooseLanguage,
  deleteAccount,
  listSessions,
  endSession,
  makeSignInLink,
  endAllSessions,
  replaceSecretKey,
  saveWidget,
  listVersions,
  testWidgets,
  addFont,
  listFonts,
  removeFont,
  setStandInCover,
  removeStandInCover,
];

const byName = new Map(ACTIONS.map((action) => [action.name, action]));

export const actionNamed = (name: string): AnyAction | undefined => byName.get(name);
