# SPG_SANITIZE: every target built after this, with these sanitizers; the first finding ends the program.
if(SPG_SANITIZE)
  string(REPLACE ";" "," sanitizers "${SPG_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()
