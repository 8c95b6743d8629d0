; Installs Marquee for one user, without an administrator. setup.ts gives what stands in ${…}.

Target ${TARGET}
Unicode true
SetCompressor ${COMPRESSOR}
; Dates of files would make each build another one.
SetDateSave off
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS all

!include "MUI2.nsh"
!include "LogicLib.nsh"

Name "Marquee"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Marquee"
BrandingText "Marquee ${VERSION}"

VIProductVersion "${FOUR_NUMBERS}"
VIAddVersionKey ProductName "Marquee"
VIAddVersionKey FileDescription "Marquee Setup"
VIAddVersionKey CompanyName "${PUBLISHER}"
VIAddVersionKey LegalCopyright "MIT License"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Marquee"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define APPROVED_KEY "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\marquee.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS "open"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES

; The user's language if it is one of these, otherwise the first. All words are NSIS's own.
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "PortugueseBR"
!insertmacro MUI_LANGUAGE "Spanish"
!insertmacro MUI_LANGUAGE "SpanishInternational"

Section
  SetOutPath "$INSTDIR"
  ; Windows does not let a running program be replaced, but renamed. It runs on until it is stopped.
  ; The name is the one that "marquee update --back" looks for.
  Delete "$INSTDIR\*.old"
  ${If} ${FileExists} "$INSTDIR\marquee.exe.old"
    ; This one still runs, from before an earlier update.
    GetTempFileName $0 "$INSTDIR"
    Delete $0
    Rename "$INSTDIR\marquee.exe.old" "$0.old"
  ${EndIf}
  Rename "$INSTDIR\marquee.exe" "$INSTDIR\marquee.exe.old"
  File "/oname=marquee.exe" "${PROGRAM}"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Marquee.lnk" "$INSTDIR\marquee.exe" "open"

  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "Marquee"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\marquee.exe"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${KIBIBYTES}
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
SectionEnd

Section "Uninstall"
  ; Without one that runs, this does nothing.
  nsExec::Exec '"$INSTDIR\marquee.exe" stop'
  Pop $0
  Delete "$INSTDIR\marquee.exe"
  Delete "$INSTDIR\*.old"
  Delete "$INSTDIR\*.new"
  Delete "$INSTDIR\uninstall.exe"
  ; The folder stays if anything else is in it, and so do the data, which are elsewhere.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Marquee.lnk"
  DeleteRegValue HKCU "${RUN_KEY}" "Marquee"
  DeleteRegValue HKCU "${APPROVED_KEY}" "Marquee"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
SectionEnd
