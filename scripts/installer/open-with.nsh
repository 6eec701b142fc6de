; What the installer for Windows adds to electron-builder's own: Dewpoint in "Open with" for folders and for files that it
; can attach, and links of its own. It takes no kind of file away from another program. All of it lies under the user.
!macro openWithFile EXTENSION
  WriteRegStr HKCU "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\SupportedTypes" "${EXTENSION}" ""
!macroend

!macro openWithFolder KEY ARGUMENT
  WriteRegStr HKCU "Software\Classes\${KEY}\shell\Dewpoint" "" "Open with Dewpoint"
  WriteRegStr HKCU "Software\Classes\${KEY}\shell\Dewpoint" "Icon" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}",0'
  WriteRegStr HKCU "Software\Classes\${KEY}\shell\Dewpoint\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "${ARGUMENT}"'
!macroend

!macro customInstall
  WriteRegStr HKCU "Software\Classes\dewpoint" "" "URL:Dewpoint"
  WriteRegStr HKCU "Software\Classes\dewpoint" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\dewpoint\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegStr HKCU "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}" "FriendlyAppName" "Dewpoint"
  WriteRegStr HKCU "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro openWithFile ".md"
  !insertmacro openWithFile ".txt"
  !insertmacro openWithFile ".csv"
  !insertmacro openWithFile ".json"
  !insertmacro openWithFile ".pdf"
  !insertmacro openWithFile ".png"
  !insertmacro openWithFile ".jpg"
  !insertmacro openWithFile ".jpeg"
  !insertmacro openWithFile ".gif"
  !insertmacro openWithFile ".webp"
  !insertmacro openWithFolder "Directory" "%1"
  !insertmacro openWithFolder "Directory\Background" "%V"
!macroend

!macro customUnInstall
  DeleteRegKey HKCU "Software\Classes\dewpoint"
  DeleteRegKey HKCU "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  DeleteRegKey HKCU "Software\Classes\Directory\shell\Dewpoint"
  DeleteRegKey HKCU "Software\Classes\Directory\Background\shell\Dewpoint"
!macroend
